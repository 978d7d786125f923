import { sha256 } from '@shardwalk/adnl'
import { type DhtKey, dhtKey, encodeBoxed } from '@shardwalk/tl'

/** Where a value is stored: at the servers whose ids are closest to this. */
export const dhtKeyId = (key: DhtKey): Buffer => sha256(encodeBoxed(dhtKey, key))

/** Key of a node's addresses. */
export const addressKey = (id: Buffer): DhtKey => ({ id, name: Buffer.from('address'), idx: 0 })

/** Key of the members of an overlay. */
export const overlayNodesKey = (overlay: Buffer): DhtKey => ({
  id: overlay,
  name: Buffer.from('nodes'),
  idx: 0,
})

/** Negative if `a` is closer to `target` than `b`. Distance is XOR as a big-endian number. */
export function compareDistance(target: Buffer, a: Buffer, b: Buffer): number {
  for (let i = 0; i < target.length; i++) {
    const difference = (a[i]! ^ target[i]!) - (b[i]! ^ target[i]!)
    if (difference !== 0) return difference
  }
  return 0
}
