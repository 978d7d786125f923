import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import type { Condition, LtRange } from '../idiom/index.ts'

export type EventTable = 'jetton_transfers' | 'jetton_burns' | 'nft_transfers'

/** Events in which any of the columns has any of the ids; one index is read per column. */
export interface EventList {
  readonly columns: readonly string[]
  readonly ids: readonly AccountId[]
}

/** The lists that a filter names; undefined if one is empty, so that nothing can match. */
export function eventLists(
  named: readonly { readonly columns: readonly string[]; readonly ids: readonly AccountId[] | undefined }[],
): readonly EventList[] | undefined {
  const lists = named.flatMap(({ columns, ids }) => (ids ? [{ columns, ids }] : []))
  return lists.some(({ ids }) => ids.length === 0) ? undefined : lists
}

/** Same condition as in the partial indexes. */
export const isConfirmed = (table: EventTable): Condition =>
  sql`e.confirmed${table === 'jetton_transfers' ? sql` and not e.aborted` : sql``}`

export const ltBetween = ({ from, to }: LtRange): Condition => sql`e.lt between ${from}::int8 and ${to}::int8`
