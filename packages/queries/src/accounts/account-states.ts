import type { Db, Row } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import { all, isAnyOf } from '../idiom/index.ts'

const COLUMNS = [
  's.account_id',
  's.lt',
  's.balance',
  's.mc_seqno',
  's.status',
  's.state_hash',
  's.last_trans_hash',
  's.code_hash',
  's.data_hash',
  's.frozen_hash',
  's.extra_currencies',
  'm.methods',
] as const

type Name<Column> = Column extends `s.${infer Own}` ? Own : never

/** Newest state of an account. */
export type AccountStateRow = Pick<Row<'latest_account_states'>, Name<(typeof COLUMNS)[number]>> & {
  /** Ids of get-methods; null while the code has not been examined. */
  readonly methods: readonly number[] | null
  /** Bags of cells; null when unknown or not requested. */
  readonly code: Buffer | null
  readonly data: Buffer | null
}

/** States that match all that is given; `undefined` matches any. */
export interface AccountStateFilter {
  readonly ids?: readonly AccountId[] | undefined
  readonly codeHashes?: readonly Buffer[] | undefined
  /** Also load code and data. */
  readonly bocs: boolean
  readonly limit: number
}

/**
 * States of accounts, in the order of the given ids, otherwise by account. Index: primary keys; (code_hash,
 * account_id).
 */
export async function findAccountStates(
  db: Db,
  filter: AccountStateFilter,
): Promise<readonly AccountStateRow[]> {
  const { ids } = filter
  if (isEmpty(filter)) return []
  const rows: AccountStateRow[] = filter.bocs
    ? await statesWithBocs(db, filter)
        .select(COLUMNS)
        .select(({ fn }) => ['c.boc as code', fn.coalesce('d.boc', 'r.boc').as('data')])
        .execute()
    : (await statesOf(db, filter).select(COLUMNS).execute()).map((row) => ({
        ...row,
        code: null,
        data: null,
      }))
  if (!ids) return rows
  const place = new Map(ids.map((id, index) => [id, index]))
  return rows.sort((a, b) => place.get(a.account_id)! - place.get(b.account_id)!)
}

/** Bytes of code and data that `findAccountStates` would load. Reads no values, only their lengths. */
export async function accountStateBytes(db: Db, filter: AccountStateFilter): Promise<number> {
  if (isEmpty(filter) || !filter.bocs) return 0
  const rows = await statesWithBocs(db, filter)
    .select(({ fn }) => [
      fn<number | null>('octet_length', ['c.boc']).as('code'),
      fn<number | null>('octet_length', [fn.coalesce('d.boc', 'r.boc')]).as('data'),
    ])
    .execute()
  return rows.reduce((sum, { code, data }) => sum + (code ?? 0) + (data ?? 0), 0)
}

const isEmpty = ({ ids, codeHashes }: AccountStateFilter): boolean =>
  ids?.length === 0 || codeHashes?.length === 0

function statesOf(db: Db, { ids, codeHashes, limit }: AccountStateFilter) {
  const conditions: RawBuilder<unknown>[] = []
  if (ids) conditions.push(isAnyOf('s.account_id', ids))
  if (codeHashes)
    conditions.push(
      ids
        ? sql`s.code_hash = any (${codeHashes}::bytea[])`
        : sql`s.account_id = any (array(${firstWithCode(codeHashes, limit)}))`,
    )
  return db
    .selectFrom('latest_account_states as s')
    .leftJoin('contract_methods as m', 'm.code_hash', 's.code_hash')
    .where(all(conditions))
    .orderBy('s.account_id')
    .limit(limit)
}

/** Of each code by itself, in the order of its index: millions of accounts have the code of a wallet. */
const firstWithCode = (codeHashes: readonly Buffer[], limit: number): RawBuilder<unknown> => sql`
  select x.account_id from (select distinct unnest(${codeHashes}::bytea[]) as code_hash) c
  cross join lateral (
    select l.account_id from latest_account_states l where l.code_hash = c.code_hash
    order by l.account_id limit ${limit}) x
  order by x.account_id limit ${limit}`

const statesWithBocs = (db: Db, filter: AccountStateFilter) =>
  statesOf(db, filter)
    .leftJoin('codes as c', 'c.code_hash', 's.code_hash')
    .leftJoin('account_data as d', (join) =>
      join.onRef('d.account_id', '=', 's.account_id').onRef('d.data_hash', '=', 's.data_hash'),
    )
    .leftJoin('contract_data as r', (join) =>
      join.onRef('r.account_id', '=', 's.account_id').onRef('r.data_hash', '=', 's.data_hash'),
    )
