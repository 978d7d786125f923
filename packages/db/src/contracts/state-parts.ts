import type { AccountId, Lt } from '@shardwalk/model'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { stageOf } from '../writing/transaction.ts'

/** Newest states of whose code no block has shown all cells. */
const WITHOUT_CODE = `select from latest_account_states l where l.code_hash is not null
  and not exists (select from codes c where c.code_hash = l.code_hash)`

/**
 * Stores the parts of code and data that a batch contains incompletely. A part is needed until complete data
 * at least as new and the code are stored, or the newest state is: cells that blocks leave out were in an
 * earlier state or arrived in a message. `offset 0`: the planner takes all that is staged for parts, and
 * would read the states of all accounts at once, in a plan that is kept when there are many more of them.
 */
export const KEEP_STATE_PARTS = `insert into state_parts (account_id, lt, mc_seqno, boc)
  select s.account_id, s.lt, s.mc_seqno, s.boc from ${stageOf('state_parts')} s
  where (not exists (select from account_data d where d.account_id = s.account_id and d.lt >= s.lt
        offset 0)
      or exists (${WITHOUT_CODE} and l.account_id = s.account_id offset 0))
    and not exists (select from contract_data d where d.account_id = s.account_id and d.lt >= s.lt offset 0)
   and not exists (
     select from latest_account_states l
     join account_data d on d.account_id = l.account_id and d.data_hash = l.data_hash
     join codes c on c.code_hash = l.code_hash where l.account_id = s.account_id offset 0)
  order by s.account_id, s.lt on conflict (account_id, lt) do nothing`

/** Parts that this batch stored before it could see that a newer state was examined meanwhile. */
export const DROP_PARTS_OF_EXAMINED = `with examined as materialized (
    select s.account_id, s.lt from ${stageOf('state_parts')} s where exists (
      select from contract_data d where d.account_id = s.account_id and d.lt >= s.lt offset 0))
  delete from state_parts where account_id = any (array(select account_id from examined))
    and (account_id, lt) in (select account_id, lt from examined)`

/** Data that blocks have carried complete since, or newer data of the account. */
export const DROP_SUPERSEDED_DATA = `delete from contract_data r where exists (
    select from account_data d
    where d.account_id = r.account_id and (d.data_hash = r.data_hash or d.lt >= r.lt) offset 0)`

/** The same for the accounts of a batch, which locks their rows in order. */
export const DROP_SUPERSEDED_BY_BATCH = `with locked as (
    select account_id from contract_data
    where account_id = any (array(select account_id from ${stageOf('account_data')}))
    order by account_id for update)
  ${DROP_SUPERSEDED_DATA} and r.account_id = any (array(select account_id from locked))`

/** A tree of an account's data; `isWhole`: without pruned branches. */
export interface StoredTree {
  readonly lt: Lt
  readonly isWhole: boolean
  readonly boc: Buffer
  /** SHA-256 of `boc`. */
  readonly digest: Buffer
}

/** All known cells of an account's data, as one tree with pruned branches. */
export interface StatePart {
  readonly boc: Buffer
  /** The stored parts whose cells it has. */
  readonly of: readonly Pick<StoredTree, 'lt' | 'digest'>[]
}

/** All stored trees of an account's data. */
export async function loadTrees(db: Db, id: AccountId): Promise<StoredTree[]> {
  const { rows } = await sql<StoredTree>`
    select lt, "isWhole", boc, sha256(boc) as digest from (
      select lt, true as "isWhole", boc from account_data where account_id = ${id}
      union all select lt, true, boc from contract_data where account_id = ${id}
      union all select lt, false, boc from state_parts where account_id = ${id}) t`.execute(db)
  return rows
}

/** Code cells by hash, as bags of cells; only those stored. */
export async function loadCodes(db: Db, hashes: readonly Buffer[]): Promise<Buffer[]> {
  if (hashes.length === 0) return []
  const { rows } = await sql<{ boc: Buffer }>`
    select boc from codes where code_hash = any (${hashes}::bytea[])`.execute(db)
  return rows.map(({ boc }) => boc)
}

/** Number of newest states whose codes are examined. */
const CODES = 500

/** Codes that an account has had, as bags of cells: its newest one may share cells with them. */
export async function loadFormerCodes(
  db: Db,
  { id, upTo }: { readonly id: AccountId; readonly upTo: Lt },
): Promise<Buffer[]> {
  const { rows } = await sql<{ boc: Buffer }>`
    select boc from codes where code_hash in (
      select code_hash_after from transactions where account_id = ${id} and lt <= ${upTo}
      order by lt desc limit ${CODES})`.execute(db)
  return rows.map(({ boc }) => boc)
}

/** Numbers of newest and first messages examined: the first message of a contract brings its initial data. */
const MESSAGES = { newest: 500, first: 20 } as const

/**
 * Bodies and state-inits of what an account received in `(after, upTo]`, as bags of cells: contracts keep
 * parts of them.
 */
export async function loadReceivedCells(
  db: Db,
  { id, after, upTo }: { readonly id: AccountId; readonly after: Lt; readonly upTo: Lt },
): Promise<Buffer[]> {
  const received = (order: 'asc' | 'desc', limit: number) => sql`(
    select t.account_id, t.lt, coalesce(t.in_msg_account_id, t.account_id) as sender, t.in_msg_lt
      from transactions t
    where t.account_id = ${id} and t.lt > ${after} and t.lt <= ${upTo} order by t.lt ${sql.raw(order)}
      limit ${limit})`
  const { rows } = await sql<{ body: Buffer | null; init_state: Buffer | null }>`
    select m.body, m.init_state
    from (${received('desc', MESSAGES.newest)} union ${received('asc', MESSAGES.first)}) r
    join messages m on m.account_id = r.sender and m.lt = r.in_msg_lt`.execute(db)
  return rows.flatMap(({ body, init_state }) => [body, init_state].filter((boc) => boc !== null))
}

/** Deletes parts that a complete tree has superseded. */
export async function dropStateParts(
  client: pg.ClientBase,
  whole: readonly { readonly accountId: AccountId; readonly lt: Lt }[],
): Promise<void> {
  await client.query(
    `delete from state_parts p using unnest($1::int8[], $2::int8[]) as w(account_id, lt)
     where p.account_id = w.account_id and p.lt <= w.lt`,
    [whole.map((one) => one.accountId), whole.map((one) => one.lt)],
  )
}

/**
 * Replaces the parts of an account that a union was made of with it. Others may have come since, and parts
 * may have become unions of more: these stay as they are, because nothing else has their cells. Parts
 * separated from the newest by blocks that are not indexed yet are kept, because these may contain cells that
 * connect them. The caller has the lock `contracts`.
 */
export async function mergeStateParts(
  client: pg.ClientBase,
  { id, part: { boc, of } }: { readonly id: AccountId; readonly part: StatePart },
): Promise<void> {
  await client.query(
    `with merged as (select * from unnest($3::int8[], $4::bytea[]) m(lt, digest)),
       unchanged as (
         select p.account_id, p.lt, p.mc_seqno from state_parts p join merged m using (lt)
         where p.account_id = $1 and sha256(p.boc) = m.digest),
       newest as (select * from unchanged where lt = (select max(lt) from merged)),
       covered as (
         delete from state_parts p using newest n, unchanged u, indexed_ranges r
         where p.account_id = u.account_id and p.lt = u.lt and p.lt < n.lt
           and r.from_seqno <= p.mc_seqno and r.to_seqno >= n.mc_seqno)
     update state_parts p set boc = $2 from newest n where p.account_id = n.account_id and p.lt = n.lt`,
    [id, boc, of.map(({ lt }) => lt), of.map(({ digest }) => digest)],
  )
}
