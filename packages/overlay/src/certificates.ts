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

/** Who sent a broadcast, and on whose authority. */
export interface Source {
  readonly src: PublicKey
  readonly certificate: OverlayCertificate
}

/** What a certificate has to allow. `unixTime`: seconds. */
export interface CertificateCheck {
  readonly overlay: Buffer
  readonly unixTime: number
  /** Bytes of the payload. */
  readonly size: number
  readonly authorised: AuthorisedKeys
}

/**
 * Id of the authorised key that the source has, or is certified by, hex; undefined if there is none. Source:
 * ton, overlay/overlay.cpp.
 */
export function authorityOf(source: Source, check: CertificateCheck): string | undefined {
  const { src, certificate } = source
  const own = publicKeyId(src).toString('hex')
  if (check.authorised.has(own)) return own
  if (certificate.kind === 'overlay.emptyCertificate') return undefined
  const { issuedBy, expireAt, maxSize } = certificate
  if (expireAt < check.unixTime || check.size > maxSize) return undefined
  const issuer = publicKeyId(issuedBy).toString('hex')
  return check.authorised.has(issuer) && isCertified(source, check.overlay) ? issuer : undefined
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
