import type { Db } from '@shardwalk/db'
import { type RawBuilder, sql } from 'kysely'
import { PageTooLarge } from './errors.ts'
import { statement } from './statement.ts'

/** Content of the tokens of one page, as text. Bytes. */
const MAX_BYTES = 16 * 1_048_576
/** Contents of so few tokens are not weighed: `parseTokenContent` limits each. */
export const LIGHT_ROWS = 32

const BYTES = statement<{ readonly bytes: bigint }>('bytes of the content of tokens', { bytes: 'int8' })

/**
 * Must be called before rows with the content of tokens are loaded: it is untrusted text, which small cells
 * can describe. `tokens`: a select of the column `content`; `limit`: most rows that it returns. Throws
 * `PageTooLarge`.
 */
export async function expectLight(db: Db, limit: number, tokens: RawBuilder<unknown>): Promise<void> {
  if (limit <= LIGHT_ROWS) return
  const [row] = await BYTES.rows(
    db,
    sql`select coalesce(sum(octet_length(t.content::text)), 0)::int8 as bytes from (${tokens}) t`,
  )
  const bytes = Number(row!.bytes)
  if (bytes > MAX_BYTES) throw new PageTooLarge(bytes)
}
