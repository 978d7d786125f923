export { type ReceivedBlock, readBlockBroadcast, readDataFull } from './received-block.ts'
