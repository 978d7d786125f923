import { createHmac } from 'node:crypto'

/** What a signature covers. Source: Standard Webhooks. */
export interface Signed {
  /** `whsec_` and the key in base64. */
  readonly secret: string
  /** Of the event; the same in every attempt. */
  readonly id: string
  /** Of the attempt. Unix seconds. */
  readonly timestamp: number
  readonly body: Buffer
}

/** HMAC-SHA256 over id, time and body. Source: Standard Webhooks 1.0, "Signature scheme", symmetric. */
export function signatureOf({ secret, id, timestamp, body }: Signed): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

/**
 * With a signature of each key, so that a receiver may know either of two while they change. Source: Standard
 * Webhooks 1.0, "Webhook Headers".
 */
export const signatureHeaders = (
  secrets: readonly string[],
  signed: Omit<Signed, 'secret'>,
): Readonly<Record<string, string>> => ({
  'webhook-id': signed.id,
  'webhook-timestamp': String(signed.timestamp),
  'webhook-signature': secrets.map((secret) => signatureOf({ ...signed, secret })).join(' '),
})
