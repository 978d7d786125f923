import type { AccountId, RawAddress, Workchain } from '@shardwalk/model'
import type { ContentJson } from '@shardwalk/tables'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import {
  FETCHER_RUNS,
  isOutdated,
  PRIORITY,
  sourceHash,
  TOKEN_TYPES,
  type TokenType,
  typeNumber,
} from './token-types.ts'

/** A token whose metadata is to be fetched. */
export interface MetadataTask {
  readonly accountId: AccountId
  readonly address: RawAddress
  readonly type: TokenType
  /** Hash of the content at the time the task was claimed. */
  readonly sourceHash: Buffer
  /** On-chain content, or the operator's override where there is one. */
  readonly content: ContentJson | null
  /** Full domain name, for items that are domains. */
  readonly domain: string | null
  /** Including this one. */
  readonly attempts: number
  /** A reader waits for it. */
  readonly isAsked: boolean
}

interface TaskRow {
  readonly account_id: AccountId
  readonly type: number
  readonly source_hash: Buffer
  readonly attempts: number
  readonly priority: number
  readonly workchain: Workchain
  readonly address: Buffer
  readonly content: ContentJson | null
  readonly domain: string | null
}

/**
 * Claims up to `limit` due tasks for `leaseSeconds`. Other processes skip them; if this one dies, they become
 * due again. Accounts that are no longer tokens leave the queue.
 */
export async function claimMetadata(
  db: Db,
  { limit, leaseSeconds }: { readonly limit: number; readonly leaseSeconds: number },
): Promise<MetadataTask[]> {
  const { rows } = await sql<TaskRow>`
    with due as materialized (
      select account_id, type, attempts, priority from metadata_queue where due_at <= now()
      order by priority, due_at limit ${limit} for update skip locked),
    tokens as materialized (
      select q.*, t.content, ${sourceHash('t')} as source_hash from due q join nft_items t using (account_id)
        where q.type = 0
      union all
      select q.*, t.content, ${sourceHash('t')} from due q join nft_collections t using (account_id)
        where q.type = 1
      union all
      select q.*, t.content, ${sourceHash('t')} from due q join jetton_masters t using (account_id)
        where q.type = 2),
    claimed as (
      update metadata_queue q set due_at = now() + make_interval(secs => ${leaseSeconds}),
        attempts = q.attempts + 1, fault = nullif(q.fault, 'busy')
      from tokens t where q.account_id = t.account_id and q.type = t.type),
    gone as (
      delete from metadata_queue q using due d where q.account_id = d.account_id and q.type = d.type
        and not exists (select from tokens t where t.account_id = d.account_id and t.type = d.type))
    select t.account_id, t.type, t.source_hash, t.attempts + 1 as attempts, t.priority, a.workchain,
           a.address, coalesce(o.content, t.content) as content, d.domain
    from tokens t join accounts a on a.id = t.account_id
    left join metadata_overrides o on o.account_id = t.account_id and o.type = t.type
    left join dns_entries d on d.account_id = t.account_id and t.type = 0`.execute(db)
  return rows.map((row) => ({
    accountId: row.account_id,
    address: { workchain: row.workchain, hash: row.address },
    type: TOKEN_TYPES[row.type] as TokenType,
    sourceHash: row.source_hash,
    content: row.content,
    domain: row.domain,
    attempts: row.attempts,
    isAsked: row.priority === PRIORITY.asked,
  }))
}

/** Prolongs the lease of a claimed task, unless it has ended. */
export async function prolongMetadata(db: Db, task: MetadataTask, leaseSeconds: number): Promise<void> {
  // Never shortens: the task may have been postponed a moment ago.
  await sql`
    update metadata_queue set due_at = greatest(due_at, now() + make_interval(secs => ${leaseSeconds}))
    where account_id = ${task.accountId} and type = ${typeNumber(task.type)}
      and attempts = ${task.attempts} and due_at > now()`.execute(db)
}

/** When a task is due again, and why it was not done. */
export interface PutOff {
  readonly delaySeconds: number
  readonly fault: string
  /** False when nothing was tried; the attempt is then not counted. */
  readonly isAttempt: boolean
}

/** Delays a claimed task. Does nothing when it was queued again because its content changed. */
export async function putOffMetadata(db: Db, task: MetadataTask, putOff: PutOff): Promise<void> {
  await sql`
    update metadata_queue set due_at = now() + make_interval(secs => ${putOff.delaySeconds}),
      fault = ${putOff.fault},
      attempts = attempts - ${putOff.isAttempt ? 0 : 1}::int
    where account_id = ${task.accountId} and type = ${typeNumber(task.type)}
      and attempts = ${task.attempts}`.execute(db)
}

/** A token whose document a reader has asked for. */
export interface MetadataRequest {
  readonly accountId: AccountId
  readonly type: TokenType
}

/**
 * Queues tokens requested by a reader with the highest priority, at once those that only wait for their host.
 * Writes nothing while no fetcher runs, or for tokens that are already first in the queue.
 */
export async function requestMetadata(db: Db, requests: readonly MetadataRequest[]): Promise<void> {
  if (requests.length === 0) return
  const sorted = [...requests].sort((a, b) => (a.accountId < b.accountId ? -1 : 1))
  await sql`
    insert into metadata_queue as q (account_id, type, priority, due_at, source_hash)
    select account_id, type, ${PRIORITY.asked}, now(), ''::bytea
    from unnest(${sorted.map((request) => request.accountId)}::int8[],
      ${sorted.map((request) => typeNumber(request.type))}::int2[]) as w (account_id, type)
    where ${sql.raw(FETCHER_RUNS)}
      and not exists (select from metadata_queue o where o.account_id = w.account_id and o.type = w.type
        and o.priority <= ${PRIORITY.asked})
    on conflict (account_id, type) do update set priority = excluded.priority,
        due_at = case when q.fault = 'busy' then now() else q.due_at end
      where q.priority > excluded.priority`.execute(db)
}

/** Tells readers that a fetcher is running. */
export async function announceFetcher(db: Db): Promise<void> {
  await sql`insert into metadata_fetcher (id, seen_at) values (1, now()) on conflict (id)
    do update set seen_at = now()`.execute(db)
}

/** How far a sweep over a table has come. `queued`: tasks added by this page. */
export interface SweepPage {
  /** Where the next page starts; null at the end of the table. */
  readonly next: AccountId | null
  readonly queued: number
}

/**
 * Scans one page of a token table in order of ids and queues tokens that were never fetched or whose content
 * has changed, and outdated masters and collections. Items, which are too many, are refreshed on demand.
 */
export async function sweepMetadata(
  db: Db,
  {
    type,
    after,
    limit,
  }: { readonly type: TokenType; readonly after: AccountId | null; readonly limit: number },
): Promise<SweepPage> {
  return db.transaction().execute(async (transaction) => {
    const { next, seen, queued } = await queuePage(transaction, { type, after, limit })
    const stored = await withdrawStored(transaction, type, queued)
    return { next: seen < limit ? null : next, queued: queued.length - stored }
  })
}

interface QueuedPage {
  readonly next: AccountId | null
  readonly seen: number
  readonly queued: readonly AccountId[]
}

async function queuePage(
  db: Db,
  {
    type,
    after,
    limit,
  }: { readonly type: TokenType; readonly after: AccountId | null; readonly limit: number },
): Promise<QueuedPage> {
  const { rows } = await sql<QueuedPage>`
    with page as materialized (
      select t.account_id, ${sourceHash('t')} as source_hash from ${sql.table(type)} t
      where ${after}::int8 is null or t.account_id > ${after}::int8 order by t.account_id limit ${limit}),
    wanted as (
      insert into metadata_queue as q (account_id, type, priority, due_at, source_hash)
      select p.account_id, ${typeNumber(type)}, ${PRIORITY[type]}, now(), p.source_hash from page p
      left join address_metadata m on m.account_id = p.account_id and m.type = ${typeNumber(type)}
      where m.account_id is null or m.source_hash <> p.source_hash
        or (${type !== 'nft_items'} and ${sql.raw(isOutdated('m'))})
      order by p.account_id
      on conflict (account_id, type) do update set
        attempts = case when q.source_hash = ''::bytea then q.attempts else 0 end,
        due_at = case when q.source_hash = ''::bytea then q.due_at else now() end,
        source_hash = excluded.source_hash
      where q.source_hash <> excluded.source_hash returning account_id)
    select max(account_id) as next, count(*)::int as seen,
      array(select account_id from wanted)::int8[] as queued
      from page`.execute(db)
  return rows[0] as QueuedPage
}

/**
 * Takes back tokens that a worker stored while the page was read: its statement saw neither their metadata
 * nor that their tasks ended. They cannot be claimed before the commit. Returns their number.
 */
async function withdrawStored(db: Db, type: TokenType, queued: readonly AccountId[]): Promise<number> {
  if (queued.length === 0) return 0
  const { numAffectedRows } = await sql`
    delete from metadata_queue q using address_metadata m
    where q.account_id = any (${queued}::int8[]) and q.type = ${typeNumber(type)} and q.attempts = 0
      and m.account_id = q.account_id and m.type = q.type and m.source_hash = q.source_hash
      and (${type === 'nft_items'} or ${sql.raw(isOutdated('m'))} is not true)`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/** Numbers of tasks of one type. `due`: those that may be started now. */
export interface MetadataQueueState {
  readonly type: TokenType
  readonly waiting: number
  readonly due: number
  /** Failed before; tasks that were merely delayed do not count. */
  readonly failed: number
  /** How long the oldest due task has been due; 0 if none is. */
  readonly oldestDueSeconds: number
}

/** Waiting tasks by type; of a longer queue, `atMost` arbitrary rows. */
export async function readMetadataQueue(db: Db, atMost = 100_000): Promise<readonly MetadataQueueState[]> {
  const { rows } = await sql<Omit<MetadataQueueState, 'type'> & { readonly type: number }>`
    select type, count(*)::int as waiting, count(*) filter (where due_at <= now())::int as due,
      count(*) filter (where fault not in ('busy', 'stopped'))::int as failed,
      coalesce(extract(epoch from now() - min(due_at) filter (where due_at <= now())),
        0)::float8 as "oldestDueSeconds"
    from (select type, due_at, fault from metadata_queue limit ${atMost}) q group by type`.execute(db)
  const none = { waiting: 0, due: 0, failed: 0, oldestDueSeconds: 0 }
  return TOKEN_TYPES.map((type, number) => ({ ...none, ...rows.find((row) => row.type === number), type }))
}

/** Seconds since a fetcher last announced itself; undefined: never. */
export async function metadataFetcherAge(db: Db): Promise<number | undefined> {
  const { rows } = await sql<{ age: number }>`
    select extract(epoch from now() - seen_at)::float8 as age from metadata_fetcher`.execute(db)
  return rows[0]?.age
}
