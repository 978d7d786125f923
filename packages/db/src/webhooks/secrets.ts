import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

const SECRET_BYTES = 32

/** A key of signatures. Source: Standard Webhooks 1.0, "Signature scheme": 24 to 64 bytes. */
export const makeSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** Keys of the row `s` of `webhook_secrets` that sign now, the newest first. */
export const validSecrets = sql<readonly string[]>`
  array_remove(array[s.secret, case when s.former_until > now() then s.former end], null)`

/** What a rotation made. */
export interface RotatedSecret {
  readonly secret: string
  /** Until then the former key signs too; undefined: it does not sign any more. */
  readonly formerUntil: Date | undefined
}

/**
 * Gives a webhook a new key. The present one signs too for `keepSeconds`; one before that does not any more.
 * Undefined: there is no such webhook.
 */
export async function rotateSecret(
  db: Db,
  id: number,
  keepSeconds: number,
): Promise<RotatedSecret | undefined> {
  const secret = makeSecret()
  const kept = keepSeconds > 0
  const row = await db
    .updateTable('webhook_secrets')
    .set((is) => ({
      secret,
      former: kept ? is.ref('secret') : null,
      former_until: kept ? sql<Date>`now() + make_interval(secs => ${keepSeconds})` : null,
    }))
    .where('webhook_id', '=', id)
    .returning('former_until')
    .executeTakeFirst()
  return row && { secret, formerUntil: row.former_until ?? undefined }
}
