import type { AccountId } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'

type IdLists = Readonly<Record<string, readonly AccountId[] | undefined>>

/**
 * Conditions "the column has one of the ids", by column; lists that are not given select everything.
 * Undefined: a list is empty, nothing can match. One array is one parameter, so the statement's text does not
 * depend on its length.
 */
export function anyOf(lists: IdLists): RawBuilder<boolean>[] | undefined {
  const given = Object.entries(lists).filter((entry): entry is [string, readonly AccountId[]] => !!entry[1])
  if (given.some(([, ids]) => ids.length === 0)) return undefined
  return given.map(([column, ids]) => isAnyOf(column, ids))
}

export const isAnyOf = (column: string, ids: readonly AccountId[]): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} = any (${ids}::int8[])`
