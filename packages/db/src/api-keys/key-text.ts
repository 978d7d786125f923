import { createHash, randomBytes } from 'node:crypto'

/**
 * `sw_`, 64 random hex digits, 8 hex digits of their SHA-256, which distinguish a truncated or mistyped key
 * from one that does not exist.
 */
const FORM = /^sw_([0-9a-f]{64})([0-9a-f]{8})$/
const PREFIX_LENGTH = 11

const checksum = (secret: string): string => createHash('sha256').update(secret).digest('hex').slice(0, 8)

/** A new key. It is shown once and not stored. */
export function makeApiKey(): string {
  const secret = randomBytes(32).toString('hex')
  return `sw_${secret}${checksum(secret)}`
}

/** False for text that cannot be a key and need not be looked up. */
export function isApiKeyText(text: string): boolean {
  const match = FORM.exec(text)
  return match !== null && checksum(match[1]!) === match[2]
}

/** Stored instead of the key; a plain hash suffices for 256 random bits. */
export const hashApiKey = (key: string): Buffer => createHash('sha256').update(key).digest()

/** The part of a key that may be shown and logged. */
export const apiKeyPrefix = (key: string): string => key.slice(0, PREFIX_LENGTH)
