import type { AccountId } from '@shardwalk/model'
import type pg from 'pg'
import { lock } from '../writing/locks.ts'
import { inTransaction } from '../writing/transaction.ts'
import { requeueText } from './requeue.ts'

// A master may have millions of wallets. When it changes, the first ones are queued at once, which is all of
// them for nearly every contract, and the others page by page.

/** Columns with the contract that confirmed a role; `key` orders the rows by an index. */
export const NAMED_BY = [
  { table: 'jetton_wallets', column: 'jetton_id', key: 'account_id', keyType: 'int8' },
  { table: 'nft_items', column: 'collection_id', key: 'item_index', keyType: 'numeric' },
  { table: 'multisig_orders', column: 'multisig_id', key: 'account_id', keyType: 'int8' },
] as const

interface Source {
  readonly table: string
  readonly column: string
  readonly key: string
  readonly keyType: 'int8' | 'numeric'
  /** Only contracts that were set aside. */
  readonly onlyMissing?: true
}

const CLAIMS: Source = {
  table: 'contract_claims',
  column: 'named_id',
  key: 'account_id',
  keyType: 'int8',
}

/** By `naming_queue.source`. Only add to the end. */
const SOURCES: readonly Source[] = [...NAMED_BY, CLAIMS, { ...CLAIMS, onlyMissing: true }]

/** Rows of a source that are read with the change itself, and in each step afterwards. */
const FIRST_PAGE = 250
const PAGE = 1_000

/** Queues the contracts that name one of these, except `not`. The caller holds the lock `contracts`. */
export const requeueNaming = (
  client: pg.ClientBase,
  ids: readonly AccountId[],
  not: readonly AccountId[] = [],
): Promise<void> => startNaming(client, { ids, not, isWanted: ({ onlyMissing }) => !onlyMissing })

/**
 * Queues the contracts that were set aside because the state of one of these was missing. The caller holds
 * the lock `contracts`.
 */
export const requeueWaiting = (client: pg.ClientBase, ids: readonly AccountId[]): Promise<void> =>
  startNaming(client, { ids, not: [], isWanted: ({ onlyMissing }) => onlyMissing === true })

interface Named {
  readonly ids: readonly AccountId[]
  readonly not: readonly AccountId[]
  readonly isWanted: (source: Source) => boolean
}

async function startNaming(client: pg.ClientBase, { ids, not, isWanted }: Named): Promise<void> {
  if (ids.length === 0) return
  for (const [number, source] of SOURCES.entries()) {
    if (!isWanted(source)) continue
    const { rows } = await client.query<{ named_id: AccountId; after: string }>(
      pageText(source, { rows: FIRST_PAGE }),
      [ids, not],
    )
    // What waits on a contract is looked for whenever it is examined, so a search that runs goes on.
    await client.query(
      `insert into naming_queue as n (named_id, source, after)
       select named_id, $3, after from unnest($1::int8[], $2::numeric[]) r(named_id, after)
       order by 1 on conflict (named_id, source) do update set after = excluded.after where not $4`,
      [rows.map((row) => row.named_id), rows.map((row) => row.after), number, source.onlyMissing === true],
    )
  }
}

/**
 * Queues the next page of the contracts that name a changed one, in one short transaction. False: there is
 * none. Any number of processes may call it at once.
 */
export function requeueNextNaming(pool: pg.Pool): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ named_id: AccountId; source: number }>(
      'select named_id, source from naming_queue order by source, named_id limit 1',
    )
    const next = rows[0]
    if (!next) return false
    // Of all who queue contracts by name, so that none of them waits for another between two pages.
    await lock(client, 'contracts')
    const entry = [next.named_id, next.source]
    const found = await client.query<{ after: string }>(
      'select after::text from naming_queue where named_id = $1 and source = $2 for update',
      entry,
    )
    if (!found.rows[0]) return true
    const page = await client.query<{ after: string }>(
      pageText(SOURCES[next.source]!, { rows: PAGE, after: '$3' }),
      [[next.named_id], [], found.rows[0].after],
    )
    const last = page.rows[0]
    if (last)
      await client.query('update naming_queue set after = $3 where named_id = $1 and source = $2', [
        ...entry,
        last.after,
      ])
    else await client.query('delete from naming_queue where named_id = $1 and source = $2', entry)
    return true
  })
}

/**
 * Statement that queues a page of a source for each of the contracts $1, except $2, and returns those that
 * have more rows, with the key of the last one seen. Rows with equal keys stay together. `after`: expression
 * of the key after which the page begins; absent: the first page.
 */
function pageText(
  { table, column, key, keyType, onlyMissing }: Source,
  page: { readonly rows: number; readonly after?: string },
): string {
  const isNext = page.after ? `and ${key} > ${page.after}::${keyType}` : ''
  return `
    with page as materialized (
      select n.id as named_id, r.account_id, r.key from unnest($1::int8[]) n(id) cross join lateral (
        select account_id, ${key} as key from ${table} where ${column} = n.id ${isNext}
        order by ${key} fetch first ${page.rows} rows with ties) r
    ), queued as (${requeueText(`
      select distinct account_id from page ${onlyMissing ? 'join missing_states using (account_id)' : ''}
      where account_id <> all ($2::int8[])`)}
    )
    select named_id, max(key)::text as after from page group by named_id having count(*) >= ${page.rows}`
}
