import { Builder, type Slice, sha256 } from '@shardwalk/cells'

/**
 * Normalised hash of an external-in message; `destination` holds the bits of its `MsgAddressInt`. Why:
 * wallets encode one intent in several ways (init, fee, body in line or referenced), so the hash of the cell
 * alone cannot find a sent message again. Source: TEP-467. No source, destination as it stands, import fee 0,
 * no init, body in a reference.
 */
export function normalizedHash(
  destination: Slice,
  body: { readonly hash: Buffer; readonly depth: number },
): Buffer {
  const head = new Builder()
    .storeUint(0b1000, 4)
    .storeSlice(destination)
    .storeUint(0, 4)
    .storeUint(0b01, 2)
    .endCell()
  const representation = Buffer.allocUnsafe(2 + head.data.length + 34)
  representation[0] = 1
  representation[1] = (head.bits >> 3) + ((head.bits + 7) >> 3)
  head.data.copy(representation, 2)
  representation.writeUInt16BE(body.depth, 2 + head.data.length)
  body.hash.copy(representation, 4 + head.data.length)
  return sha256(representation)
}
