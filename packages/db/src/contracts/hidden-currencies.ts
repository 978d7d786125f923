import {
  type AccountId,
  type BlockId,
  FULL_SHARD,
  type Lt,
  MASTERCHAIN,
  type McBlockSeqno,
  type RawAddress,
  type Workchain,
} from '@shardwalk/model'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { ofMasterchain } from '../rows/of-masterchain.ts'
import { inTransaction, stageOf } from '../writing/transaction.ts'

/** Currency id to amount, both decimal. */
type CurrenciesJson = Readonly<Record<string, string>>

/**
 * Stores the currencies of the newest state before it is overwritten: most transactions do not change them.
 */
export const KEEP_HIDDEN_CURRENCIES = `insert into hidden_currencies (account_id, lt, mc_seqno, hash, part,
  before)
  select s.account_id, s.lt, s.mc_seqno, s.hash, s.part, l.extra_currencies
    from ${stageOf('hidden_currencies')} s
  left join lateral (
    select extra_currencies from latest_account_states x where x.account_id = s.account_id and x.lt < s.lt
      and jsonb_typeof(x.extra_currencies) = 'object' offset 0) l on true
  order by s.account_id, s.lt on conflict (account_id, lt) do nothing`

/** Extra currencies of a state of which only the hash is known, and cells that may contain them. */
export interface HiddenCurrencies {
  readonly accountId: AccountId
  readonly address: RawAddress
  readonly lt: Lt
  readonly hash: Buffer
  /** What the block, and later blocks of the account, show of the dictionary, as bags of cells. */
  readonly parts: readonly Buffer[]
  /** Currencies of other states of the account. */
  readonly others: readonly CurrenciesJson[]
  /** Masterchain block that committed the state; undefined while that block is not indexed. */
  readonly mcBlock?: BlockId
}

/** Number of the account's transactions examined on either side. */
const NEIGHBOURS = 100

/**
 * States that are due, by account and lt. Indexes: hidden_currencies_due, the primary key of transactions.
 */
export async function listHiddenCurrencies(
  db: Db,
  { limit }: { readonly limit: number },
): Promise<HiddenCurrencies[]> {
  const neighbour = (side: '<' | '>', order: 'asc' | 'desc') => sql`(
    select n.currencies from (
      select extra_currencies_after as currencies, lt from transactions t
      where t.account_id = h.account_id and t.lt ${sql.raw(side)} h.lt
      order by t.lt ${sql.raw(order)} limit ${NEIGHBOURS}) n
    where jsonb_typeof(n.currencies) = 'object' order by n.lt ${sql.raw(order)} limit 1)`
  const { rows } = await sql<HiddenRow>`
    with h as (
      select * from hidden_currencies where coalesce(not_before, '-infinity') <= now()
      order by coalesce(not_before, '-infinity'), account_id, lt limit ${limit})
    select h.account_id, h.lt, h.hash, h.before, a.workchain, a.address, b.seqno, b.root_hash, b.file_hash,
      ${neighbour('<', 'desc')} as earlier, ${neighbour('>', 'asc')} as later,
      (select l.extra_currencies from latest_account_states l
        where l.account_id = h.account_id and jsonb_typeof(l.extra_currencies) = 'object') as latest,
      array(select p.part from hidden_currencies p where p.account_id = h.account_id and p.part is not null
        order by p.lt limit ${NEIGHBOURS}) as parts
    from h join accounts a on a.id = h.account_id
    left join blocks b on ${sql.raw(ofMasterchain('b'))} and b.seqno = h.mc_seqno
    order by h.account_id, h.lt`.execute(db)
  return rows.map(toHidden)
}

interface HiddenRow {
  readonly account_id: AccountId
  readonly lt: Lt
  readonly hash: Buffer
  readonly before: CurrenciesJson | null
  readonly earlier: CurrenciesJson | null
  readonly later: CurrenciesJson | null
  readonly latest: CurrenciesJson | null
  readonly parts: readonly Buffer[]
  readonly workchain: Workchain
  readonly address: Buffer
  readonly seqno: McBlockSeqno | null
  readonly root_hash: Buffer
  readonly file_hash: Buffer
}

function toHidden(row: HiddenRow): HiddenCurrencies {
  const { seqno, root_hash: rootHash, file_hash: fileHash } = row
  return {
    accountId: row.account_id,
    address: { workchain: row.workchain, hash: row.address },
    lt: row.lt,
    hash: row.hash,
    parts: row.parts,
    others: [row.before, row.earlier, row.later, row.latest].filter((one) => one !== null),
    ...(seqno !== null && {
      mcBlock: { workchain: MASTERCHAIN, shard: FULL_SHARD, seqno, rootHash, fileHash },
    }),
  }
}

/**
 * Replaces the hash by the currencies in the transaction's row, and in the newest state if it is that one.
 */
export async function storeFoundCurrencies(
  pool: pg.Pool,
  found: readonly {
    readonly accountId: AccountId
    readonly lt: Lt
    readonly currencies: CurrenciesJson
  }[],
): Promise<void> {
  if (found.length === 0) return
  const columns = [
    found.map((one) => one.accountId),
    found.map((one) => one.lt),
    found.map((one) => JSON.stringify(one.currencies)),
  ]
  const rows = 'unnest($1::int8[], $2::int8[], $3::jsonb[]) as f(account_id, lt, currencies)'
  await inTransaction(pool, async (client) => {
    await client.query(
      `update transactions t set extra_currencies_after = f.currencies from ${rows}
       where t.account_id = f.account_id and t.lt = f.lt
         and jsonb_typeof(t.extra_currencies_after) = 'string'`,
      columns,
    )
    await client.query(
      `update latest_account_states l set extra_currencies = f.currencies from ${rows}
       where l.account_id = f.account_id and l.lt = f.lt and jsonb_typeof(l.extra_currencies) = 'string'`,
      columns,
    )
    await client.query(
      `delete from hidden_currencies h using unnest($1::int8[], $2::int8[]) as f(account_id, lt)
       where h.account_id = f.account_id and h.lt = f.lt`,
      columns.slice(0, 2),
    )
  })
}

/**
 * Notes what accounts held when their workchains began for states about which nothing earlier is known: their
 * blocks may have been indexed before.
 */
export async function offerCurrencies(
  pool: pg.Pool,
  held: ReadonlyMap<AccountId, CurrenciesJson>,
): Promise<void> {
  if (held.size === 0) return
  await pool.query(
    `update hidden_currencies h set before = o.currencies, not_before = null
     from unnest($1::int8[], $2::jsonb[]) as o(account_id, currencies)
     where h.account_id = o.account_id and h.before is null`,
    [[...held.keys()], [...held.values()].map((currencies) => JSON.stringify(currencies))],
  )
}

/** Delays the next attempt: a minute, doubled with each attempt, a day at most. */
export async function postponeHiddenCurrencies(
  db: Db,
  states: readonly { readonly accountId: AccountId; readonly lt: Lt }[],
): Promise<void> {
  if (states.length === 0) return
  await sql`
    update hidden_currencies h set tries = coalesce(h.tries, 0) + 1,
      not_before = now() + least(make_interval(mins => 1) * 2 ^ least(coalesce(h.tries, 0), 20),
        make_interval(days => 1))
    from unnest(${states.map((one) => one.accountId)}::int8[], ${states.map((one) => one.lt)}::int8[])
      as s(account_id, lt)
    where h.account_id = s.account_id and h.lt = s.lt`.execute(db)
}

/** States whose extra currencies are not known. */
export async function countHiddenCurrencies(db: Db): Promise<number> {
  const { rows } = await sql<{ n: bigint }>`select count(*) as n from hidden_currencies`.execute(db)
  return Number(rows[0]?.n ?? 0n)
}
