import { publicKeyId, verifySignature } from '@shardwalk/adnl'
import {
  certificateId,
  certificateIdV2,
  encodeBoxed,
  type OverlayCertificate,
  type PublicKey,
} from '@shardwalk/tl'

/** Ids of keys whose broadcasts are taken: those of validators. Hex. */
export type AuthorisedKeys = ReadonlySet<string>

export interface Source {
  readonly src: PublicKey
  readonly certificate: OverlayCertificate
}

export interface CertificateCheck {
  readonly overlay: Buffer
  readonly unixTime: number
  /** Bytes of the payload. */
  readonly size: number
  readonly authorised: AuthorisedKeys
}

/** Whether the source is authorised, or certified by a key that is. Source: ton, overlay/overlay.cpp. */
export function mayBroadcast(source: Source, check: CertificateCheck): boolean {
  const { src, certificate } = source
  if (check.authorised.has(publicKeyId(src).toString('hex'))) return true
  if (certificate.kind === 'overlay.emptyCertificate') return false
  const { issuedBy, expireAt, maxSize } = certificate
  if (expireAt < check.unixTime || check.size > maxSize) return false
  return check.authorised.has(publicKeyId(issuedBy).toString('hex')) && isCertified(source, check.overlay)
}

/** Whether the issuer has signed the certificate for this source and overlay. */
export function isCertified({ src, certificate }: Source, overlay: Buffer): boolean {
  if (certificate.kind === 'overlay.emptyCertificate') return false
  const { issuedBy, expireAt, maxSize, signature } = certificate
  if (issuedBy.kind !== 'pub.ed25519' || signature.length !== 64) return false
  const claim = { overlayId: overlay, node: publicKeyId(src), expireAt, maxSize }
  const signed =
    certificate.kind === 'overlay.certificate'
      ? encodeBoxed(certificateId, claim)
      : encodeBoxed(certificateIdV2, { ...claim, flags: certificate.flags })
  return verifySignature(issuedBy.key, signed, signature)
}
