import { createCipheriv, createDecipheriv } from 'node:crypto'
import { type AdnlKey, sha256, shortId } from '@shardwalk/adnl'

/** An AES-256-CTR stream, kept for the life of the connection. */
export interface StreamCipher {
  update(bytes: Buffer): Buffer
}
/** Both directions of a connection, as seen by one end. */
export interface SessionCiphers {
  readonly encrypt: StreamCipher
  readonly decrypt: StreamCipher
}

/**
 * Bytes of the packet that a client begins with: id of the server, key of the client, SHA-256 of the session,
 * and the encrypted session.
 */
export const HELLO_LENGTH = 256
/** Bytes of random data from which keys and counters of both directions are taken. */
export const SESSION_LENGTH = 160

/**
 * The 256-byte handshake packet. `session`: 160 random bytes with the keys and counters of both directions.
 */
export function createHello(client: AdnlKey, serverKey: Buffer, session: Buffer): Buffer {
  const digest = sha256(session)
  const cipher = helloCipher(client.sharedSecret(serverKey), digest)
  return Buffer.concat([shortId(serverKey), client.publicKey, digest, cipher.update(session)])
}

/**
 * Reads a handshake packet; undefined if it is for another key or invalid, in which case the server closes.
 */
export function acceptHello(server: AdnlKey, serverShortId: Buffer, hello: Buffer): Buffer | undefined {
  if (hello.length !== HELLO_LENGTH || !hello.subarray(0, 32).equals(serverShortId)) return undefined
  const digest = hello.subarray(64, 96)
  try {
    const session = helloCipher(server.sharedSecret(hello.subarray(32, 64)), digest).update(
      hello.subarray(96),
    )
    return sha256(session).equals(digest) ? session : undefined
  } catch {
    // A client key of small order yields no shared secret: treat it as any other invalid handshake.
    return undefined
  }
}

/** Bytes 0-32 and 64-80 of the session are for server to client, 32-64 and 80-96 for client to server. */
export function sessionCiphers(session: Buffer, side: 'client' | 'server'): SessionCiphers {
  const toClient = [session.subarray(0, 32), session.subarray(64, 80)] as const
  const toServer = [session.subarray(32, 64), session.subarray(80, 96)] as const
  const [out, into] = side === 'client' ? [toServer, toClient] : [toClient, toServer]
  return {
    encrypt: createCipheriv('aes-256-ctr', ...out),
    decrypt: createDecipheriv('aes-256-ctr', ...into),
  }
}

function helloCipher(secret: Buffer, digest: Buffer): StreamCipher {
  const key = Buffer.concat([secret.subarray(0, 16), digest.subarray(16, 32)])
  const counter = Buffer.concat([digest.subarray(0, 4), secret.subarray(20, 32)])
  return createCipheriv('aes-256-ctr', key, counter)
}
