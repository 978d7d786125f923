export { type DhtConfig, readDhtConfig } from './config.ts'
export { DhtClient, type DhtLookup } from './dht-client.ts'
export { dhtKeyId } from './keys.ts'
export { membersValue, signAddress, signServer } from './sign.ts'
