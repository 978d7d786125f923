import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hash,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto'
import { encodePublicKey, type PublicKey } from '@shardwalk/tl'

/** 32 bytes. */
export const sha256 = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer')

/** Id of a key of any kind: SHA-256 of the boxed key. */
export const publicKeyId = (key: PublicKey): Buffer => sha256(encodePublicKey(key))

/** Short id of a node: that of its ed25519 key. */
export const shortId = (publicKey: Buffer): Buffer => publicKeyId({ kind: 'pub.ed25519', key: publicKey })

/** An ed25519 key pair from its 32-byte seed, prepared for signing and key exchange. */
export class AdnlKey {
  readonly publicKey: Buffer
  private readonly signing: KeyObject
  private readonly exchange: KeyObject

  constructor(seed: Buffer) {
    if (seed.length !== 32) throw new RangeError(`a seed has 32 bytes, not ${seed.length}`)
    this.signing = privateKey(PKCS8_ED25519, seed)
    this.publicKey = rawPublicKey(this.signing)
    // The ed25519 scalar is the clamped first half of SHA-512(seed); X25519 clamps by itself.
    this.exchange = privateKey(PKCS8_X25519, hash('sha512', seed, 'buffer').subarray(0, 32))
  }

  /** X25519 with the peer's ed25519 key. Throws if the key is a point of small order. */
  sharedSecret(peer: Buffer): Buffer {
    return diffieHellman({ privateKey: this.exchange, publicKey: publicKey('X25519', montgomeryU(peer)) })
  }

  /** Undefined where `sharedSecret` throws. */
  findSharedSecret(peer: Buffer): Buffer | undefined {
    try {
      return this.sharedSecret(peer)
    } catch {
      return undefined
    }
  }

  sign(message: Buffer): Buffer {
    return signBytes(null, message, this.signing)
  }
}

/** Whether an ed25519 signature (64 bytes) of the message is that of the key (32 bytes). */
export const verifySignature = (key: Buffer, message: Buffer, signature: Buffer): boolean =>
  verifyBytes(null, message, publicKey('Ed25519', key), signature)

/**
 * Whether datagrams can be sealed for a key: not with points of small order, for which anybody can sign all
 * the same. Takes a key exchange.
 */
export const isUsableKey = (key: Buffer): boolean => PROBE.findSharedSecret(key) !== undefined

const P = 2n ** 255n - 19n

/** u = (1 + y) / (1 - y): the X25519 coordinate of an ed25519 public key. Source: RFC 7748, section 4.1. */
export function montgomeryU(publicKey: Buffer): Buffer {
  const y = BigInt(`0x${Buffer.from(publicKey).reverse().toString('hex')}`) & (2n ** 255n - 1n)
  const u = ((1n + y) * power(((1n - y) % P) + P, P - 2n)) % P
  return Buffer.from(u.toString(16).padStart(64, '0'), 'hex').reverse()
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let square = base % P, rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % P)
    if (rest & 1n) result = (result * square) % P
  return result
}

// DER prefixes of raw 32-byte keys (RFC 8410). A JSON Web Key would have to name the public half too.
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')
const PKCS8_X25519 = Buffer.from('302e020100300506032b656e04220420', 'hex')

const privateKey = (prefix: Buffer, raw: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([prefix, raw]), format: 'der', type: 'pkcs8' })

// JSON Web Keys (RFC 8037): Node 20 takes several times as long for their DER forms.
type Curve = 'Ed25519' | 'X25519'

const publicKey = (crv: Curve, raw: Buffer): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv, x: raw.toString('base64url') }, format: 'jwk' })

const rawPublicKey = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url')

const PROBE = new AdnlKey(Buffer.alloc(32, 1))
