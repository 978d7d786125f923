import type { AccountId } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'

type IdLists = Readonly<Record<string, readonly AccountId[] | undefined>>

/**
 * Conditions "the column is one of the ids", by column. A missing list does not filter. Undefined when a list
 * is empty: nothing can match then. An array is a single parameter, so the text does not depend on its
 * length; one value is compared by itself, because only then the index has the list in its order.
 */
export function anyOf(lists: IdLists): RawBuilder<boolean>[] | undefined {
  const given = Object.entries(lists).filter((entry): entry is [string, readonly AccountId[]] => !!entry[1])
  if (given.some(([, ids]) => ids.length === 0)) return undefined
  return given.map(([column, ids]) => isAnyOf(column, ids))
}

/** One id is compared by itself, for the reason given at `anyOf`. */
export const isAnyOf = (column: string, ids: readonly AccountId[]): RawBuilder<boolean> =>
  ids.length === 1
    ? sql<boolean>`${sql.ref(column)} = ${ids[0]}::int8`
    : sql<boolean>`${sql.ref(column)} = any (${ids}::int8[])`
