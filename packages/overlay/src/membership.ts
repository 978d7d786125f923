import { type AdnlKey, isUsableKey, publicKeyId, verifySignature } from '@shardwalk/adnl'
import { encodeBoxed, type OverlayNode, overlayNodeToSign } from '@shardwalk/tl'

/** Seconds for which a membership holds. Source: ton-blockchain/ton, overlay/overlay-manager.h. */
const VALID_SECONDS = 600
const MAX_CLOCK_SKEW = 60

/** Declares the key's node a member of an overlay as of `unixTime`. */
export function signMembership(key: AdnlKey, overlay: Buffer, unixTime: number): OverlayNode {
  const id = { kind: 'pub.ed25519', key: key.publicKey } as const
  const version = Math.floor(unixTime)
  return { id, overlay, version, signature: key.sign(signedBytes({ id, overlay, version })) }
}

export interface MembershipCheck {
  /** Id of the overlay, 32 bytes. */
  readonly overlay: Buffer
  /** Now, in Unix seconds. */
  readonly unixTime: number
}

/** Whether the membership is signed by its node and is recent. */
export function isMembership(node: OverlayNode, { overlay, unixTime }: MembershipCheck): boolean {
  if (node.id.kind !== 'pub.ed25519' || !node.overlay.equals(overlay)) return false
  if (node.version <= unixTime - VALID_SECONDS || node.version > unixTime + MAX_CLOCK_SKEW) return false
  if (node.signature.length !== 64 || !verifySignature(node.id.key, signedBytes(node), node.signature))
    return false
  return isUsableKey(node.id.key)
}

const signedBytes = ({ id, overlay, version }: Omit<OverlayNode, 'signature'>): Buffer =>
  encodeBoxed(overlayNodeToSign, { id: { id: publicKeyId(id) }, overlay, version })
