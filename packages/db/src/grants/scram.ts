import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

const ITERATIONS = 4096

/**
 * What PostgreSQL stores of a password, so that the password itself is in no statement and no log. Source:
 * RFC 5803 and PostgreSQL's scram-common.c, `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`.
 * `password`: ASCII, which SASLprep leaves as it is.
 */
export function scramVerifier(password: string, salt = randomBytes(16), iterations = ITERATIONS): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  const serverKey = keyOf('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}

/** Whether a stored verifier is that of the password. */
export function isVerifierOf(verifier: string, password: string): boolean {
  const [, iterations, salt] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$/.exec(verifier) ?? []
  if (!iterations || !salt) return false
  return scramVerifier(password, Buffer.from(salt, 'base64'), Number(iterations)) === verifier
}
