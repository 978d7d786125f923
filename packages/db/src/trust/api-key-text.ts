import { createHash, randomBytes } from 'node:crypto'

/**
 * `sw_`, 64 hex digits at random, 8 hex digits of their SHA-256: a key that was cut off or mistyped is told
 * from one that does not exist.
 */
const FORM = /^sw_([0-9a-f]{64})([0-9a-f]{8})$/
const PREFIX_LENGTH = 11

const checksum = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 8)

/** A new key. It is shown once and kept nowhere. */
export function makeApiKey(): string {
  const secret = randomBytes(32).toString('hex')
  return `sw_${secret}${checksum(secret)}`
}

/** False for what cannot be a key: nobody has to look it up. */
export function isApiKeyText(text: string): boolean {
  const match = FORM.exec(text)
  return match !== null && checksum(match[1]!) === match[2]
}

/** What is stored instead of the key: a plain hash is enough for 256 random bits. */
export const hashApiKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** The part of a key that people and logs may see. */
export const apiKeyPrefix = (key: string): string => key.slice(0, PREFIX_LENGTH)
