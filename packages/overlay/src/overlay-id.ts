import { publicKeyId, sha256 } from '@shardwalk/adnl'
import { encodeBoxed, shardPublicOverlayId } from '@shardwalk/tl'

/** An overlay: nodes that pass messages on to each other. */
export interface OverlayId {
  /** Its key, which is public: everybody can compute it and join. */
  readonly name: Buffer
  readonly id: Buffer
}

export interface OverlayShard {
  readonly workchain: number
  /** 64-bit prefix ended by a 1 bit, unsigned. */
  readonly shard: bigint
  /** File hash of the network's masterchain zerostate. */
  readonly zeroStateFileHash: Buffer
}

/** The public overlay of a shard. Source: ton-blockchain/ton, validator/full-node-shard.cpp. */
export function shardOverlay(shard: OverlayShard): OverlayId {
  const name = sha256(encodeBoxed(shardPublicOverlayId, shard))
  return { name, id: publicKeyId({ kind: 'pub.overlay', name }) }
}
