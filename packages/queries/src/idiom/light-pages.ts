import type { Db } from '@shardwalk/db'
import { type Expression, sql } from 'kysely'
import { PageTooLarge } from './errors.ts'

/** Content of the tokens of one page, as text. Bytes. */
const MAX_BYTES = 16 * 1_048_576
/** Contents of so few tokens are not weighed: `parseTokenContent` limits each. */
export const LIGHT_ROWS = 32

/**
 * Rows with the column `content` of tokens, which is strangers' text that small cells can describe: they are
 * weighed before they are sent. `limit`: at most so many rows. Throws `PageTooLarge`.
 */
export async function readLight<Row>(
  db: Db,
  limit: number,
  select: Expression<unknown> & { execute(): Promise<Row[]> },
): Promise<Row[]> {
  if (limit <= LIGHT_ROWS) return select.execute()
  // Raw: the columns are those of any select. The numbers keep its order.
  const { rows } = await sql<Row & Weighed>`
    with page as materialized (select row_number() over () as page_place, f.* from (${select}) f),
      weight as (select coalesce(sum(octet_length(content::text)), 0)::int8 as page_bytes from page)
    select * from weight left join page on page_bytes <= ${MAX_BYTES} order by page_place`.execute(db)
  const bytes = Number(rows[0]!.page_bytes)
  if (bytes > MAX_BYTES) throw new PageTooLarge(bytes)
  if (rows[0]!.page_place === null) return []
  return rows.map(({ page_bytes, page_place, ...row }) => row as unknown as Row)
}

interface Weighed {
  readonly page_bytes: bigint
  /** Null in the only row of a page that has none, or too large ones. */
  readonly page_place: bigint | null
}
