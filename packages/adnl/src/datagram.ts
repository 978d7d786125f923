import { createCipheriv, createDecipheriv } from 'node:crypto'
import { type AdnlKey, sha256, shortId } from './keys.ts'

/** The first bytes of a datagram name its receiver: a node's id, or a channel. */
const ADDRESSEE_LENGTH = 32
const DIGEST_LENGTH = 32

/** Addressee of a datagram; undefined if it is too short to be one. */
export const addresseeOf = (datagram: Buffer): Buffer | undefined =>
  datagram.length > ADDRESSEE_LENGTH + DIGEST_LENGTH ? datagram.subarray(0, ADDRESSEE_LENGTH) : undefined

/**
 * A datagram to a node without a channel. `ephemeral`: a new key for each datagram. Undefined if the node's
 * key is a point of small order: with these there is no shared secret.
 */
export function sealForNode(peerKey: Buffer, ephemeral: AdnlKey, contents: Buffer): Buffer | undefined {
  const secret = ephemeral.findSharedSecret(peerKey)
  return secret && Buffer.concat([shortId(peerKey), ephemeral.publicKey, ...sealed(secret, contents)])
}

/**
 * Contents of a datagram to `own`; undefined if it was made for another key or damaged. Takes a key exchange:
 * limit the rate per source first.
 */
export function openForNode(own: AdnlKey, datagram: Buffer): Buffer | undefined {
  const keyEnd = ADDRESSEE_LENGTH + 32
  if (datagram.length <= keyEnd + DIGEST_LENGTH) return undefined
  const secret = own.findSharedSecret(datagram.subarray(ADDRESSEE_LENGTH, keyEnd))
  return secret && opened(secret, datagram.subarray(keyEnd))
}

/** A datagram in a channel. `id` and `key`: of the direction in which it is sent. */
export const sealForChannel = ({ id, key }: ChannelDirection, contents: Buffer): Buffer =>
  Buffer.concat([id, ...sealed(key, contents)])

/** Contents of a datagram in a channel; undefined if it is damaged. */
export const openForChannel = ({ key }: ChannelDirection, datagram: Buffer): Buffer | undefined =>
  opened(key, datagram.subarray(ADDRESSEE_LENGTH))

/** One direction of a channel. Both 32 bytes. */
export interface ChannelDirection {
  readonly id: Buffer
  readonly key: Buffer
}

function sealed(secret: Buffer, contents: Buffer): [Buffer, Buffer] {
  const digest = sha256(contents)
  return [digest, createCipheriv('aes-256-ctr', ...cipherKey(secret, digest)).update(contents)]
}

function opened(secret: Buffer, bytes: Buffer): Buffer | undefined {
  const digest = bytes.subarray(0, DIGEST_LENGTH)
  const cipher = createDecipheriv('aes-256-ctr', ...cipherKey(secret, digest))
  const contents = cipher.update(bytes.subarray(DIGEST_LENGTH))
  return sha256(contents).equals(digest) ? contents : undefined
}

/** Key and counter block. Source: ton-blockchain/ton, keys/encryptor.cpp. */
function cipherKey(secret: Buffer, digest: Buffer): [Buffer, Buffer] {
  return [
    Buffer.concat([secret.subarray(0, 16), digest.subarray(16, 32)]),
    Buffer.concat([digest.subarray(0, 4), secret.subarray(20, 32)]),
  ]
}
