import { isIPv4 } from 'node:net'
import { type BlockId, shardToSigned } from '@shardwalk/model'
import type { RecordedNetwork } from '@shardwalk/sources'

/** Global config of a network with one lite server, in the form of ton.org's global.config.json. */
export function formatGlobalConfig(server: {
  readonly host: string
  readonly port: number
  readonly publicKey: Buffer
  readonly network: RecordedNetwork
}): string {
  const { zerostate, initBlock } = server.network
  const config = {
    '@type': 'config.global',
    liteservers: [
      {
        ...hostFields(server.host),
        port: server.port,
        id: { '@type': 'pub.ed25519', key: server.publicKey.toString('base64') },
      },
    ],
    validator: {
      '@type': 'validator.config.global',
      zero_state: formatId(zerostate),
      init_block: formatId(initBlock),
      hardforks: [],
    },
  }
  // The format has shards as numbers beyond 2^53, which JSON.stringify cannot write.
  return JSON.stringify(config, null, 2).replaceAll(/"shard": "(-?\d+)"/g, '"shard": $1')
}

/** A server that listens on all addresses is announced as 127.0.0.1. */
function hostFields(host: string): { ip: number } | { hostname: string } {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  if (!isIPv4(reachable)) return { hostname: reachable }
  return { ip: reachable.split('.').reduce((ip, part) => (ip << 8) | Number(part), 0) }
}

const formatId = (id: BlockId) => ({
  workchain: id.workchain,
  shard: shardToSigned(id.shard).toString(),
  seqno: id.seqno,
  root_hash: id.rootHash.toString('base64'),
  file_hash: id.fileHash.toString('base64'),
})

/** A global config with servers of the hash table, through which full nodes are found. */
export const withDht = (config: string, dht: object): string =>
  config.replace('{', `{\n  "dht": ${JSON.stringify(dht)},`)
