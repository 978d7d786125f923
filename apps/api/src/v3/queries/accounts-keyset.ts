import { type KeysetOrder, type KeysetSlice, readKeyset } from '@shardwalk/queries/idiom'
import type { Page, PageQuery } from '../../http/route.ts'

export type { KeysetOrder, KeysetSlice } from '@shardwalk/queries/idiom'

/** Reads a page and renders it. */
export async function keysetPage<R>(
  query: PageQuery,
  order: KeysetOrder<R>,
  parts: {
    readonly read: (slice: KeysetSlice) => Promise<readonly R[]>
    readonly render: (rows: readonly R[]) => Promise<Page>
  },
): Promise<Page> {
  const { rows, next } = await readKeyset(query, order, parts.read)
  return { ...(await parts.render(rows)), next }
}
