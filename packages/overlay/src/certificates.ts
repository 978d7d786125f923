import { publicKeyId, verifySignature } from '@shardwalk/adnl'
import {
  certificateId,
  certificateIdV2,
  encodeBoxed,
  type OverlayCertificate,
  type PublicKey,
} from '@shardwalk/tl'
import { MAX_SIMPLE_SIZE } from './fec-broadcast.ts'

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
  /** Whether it is sent in parts. */
  readonly isSplit: boolean
  readonly authorised: AuthorisedKeys
}

/** Bits of `flags`. Source: ton, overlay/overlays.h. */
const ALLOWS_PARTS = 1
/** Without it the payload decides whether the broadcast is taken, as if it had no certificate. */
const IS_TRUSTED = 2

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
  const needed = IS_TRUSTED | (check.isSplit ? ALLOWS_PARTS : 0)
  if ((flagsOf(certificate) & needed) !== needed) return undefined
  const issuer = publicKeyId(issuedBy).toString('hex')
  return check.authorised.has(issuer) && isCertified(source, check.overlay) ? issuer : undefined
}

/** Whether the issuer has signed the certificate for this source and overlay. */
export function isCertified({ src, certificate }: Source, overlay: Buffer): boolean {
  if (certificate.kind === 'overlay.emptyCertificate') return false
  const { issuedBy, expireAt, maxSize, signature } = certificate
  if (issuedBy.kind !== 'pub.ed25519' || signature.length !== 64) return false
  const claim = { overlayId: overlay, node: publicKeyId(src), expireAt, maxSize }
  const flags = flagsOf(certificate)
  const signed =
    flags === usualFlags(maxSize)
      ? encodeBoxed(certificateId, claim)
      : encodeBoxed(certificateIdV2, { ...claim, flags })
  return verifySignature(issuedBy.key, signed, signature)
}

type Issued = Exclude<OverlayCertificate, { kind: 'overlay.emptyCertificate' }>

const flagsOf = (certificate: Issued): number =>
  certificate.kind === 'overlay.certificate' ? usualFlags(certificate.maxSize) : certificate.flags

/** Those of certificates that do not name them, and what is signed does not name them either. */
const usualFlags = (maxSize: number): number => IS_TRUSTED | (maxSize > MAX_SIMPLE_SIZE ? ALLOWS_PARTS : 0)
