import type { AccountId, Lt } from '@shardwalk/model'
import { PENDING_STATE } from '@shardwalk/tables'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { notifyPending } from './channel.ts'

const INVALIDATED = PENDING_STATE.indexOf('invalidated')

/** A pending message claimed by a worker. Times are milliseconds from now, negative in the past. */
export interface ClaimedPending {
  readonly hash_norm: Buffer
  readonly hash: Buffer
  readonly boc: Buffer
  readonly account: string
  readonly account_id: AccountId
  readonly state: number
  readonly trace: string | null
  readonly trace_id: Buffer | null
  readonly seen_lt: Lt | null
  readonly seen_nodes: number
  readonly lease: number
  readonly awaited: readonly Buffer[]
  readonly admitted_ms: number
  readonly changed_ms: number
  readonly expires_ms: number
}

/**
 * Claims up to `limit` due messages for `leaseMs`; other workers skip them. If this one dies, they are due
 * again when the lease ends.
 */
export async function claimPending(
  db: Db,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly ClaimedPending[]> {
  const { rows } = await sql<ClaimedPending>`
    update pending_traces p set lease = lease + 1, due_at = 'infinity',
      leased_until = now() + make_interval(secs => ${leaseMs / 1000})
    where hash_norm in (
      select hash_norm from pending_traces
      where state <> ${INVALIDATED} and (due_at <= now() or leased_until is not null)
        and (leased_until is null or leased_until <= now())
      order by due_at limit ${limit} for update skip locked
    )
    returning hash_norm, hash, boc, account, account_id, state, trace, trace_id, seen_lt, seen_nodes, lease,
      awaited, ${sinceMs('admitted_at')} as admitted_ms, ${sinceMs('changed_at')} as changed_ms,
      ${sinceMs('expires_at')} as expires_ms`.execute(db)
  return rows
}

const sinceMs = (column: string) => sql`(extract(epoch from ${sql.ref(column)} - now()) * 1000)::float8`

/** Result of an examination; undefined members leave their columns unchanged. */
export interface PendingUpdate {
  readonly isPending?: boolean | undefined
  readonly accounts?: readonly string[] | undefined
  readonly trace?: string | undefined
  readonly traceId?: Buffer | undefined
  readonly seenLt?: Lt | undefined
  readonly seenNodes?: number | undefined
  /** Hashes of messages, normalised if external. */
  readonly awaited?: readonly Buffer[] | undefined
  readonly expiresMs?: number | undefined
  /** Milliseconds until the next examination at the latest. */
  readonly dueMs: number
}

type Claim = Pick<ClaimedPending, 'hash_norm' | 'lease'>

/**
 * Stores the result of an examination. A result with `trace` is a new version for readers. False, with
 * nothing stored, when another worker holds the lease.
 */
export async function savePending(db: Db, claim: Claim, update: PendingUpdate): Promise<boolean> {
  const { accounts, trace, traceId, seenLt, seenNodes, awaited, expiresMs, isPending, dueMs } = update
  const isChanged = trace !== undefined
  const inMs = (ms: number) => sql`now() + make_interval(secs => ${ms / 1000})`
  const { numAffectedRows } = await sql`
    update pending_traces set
      state = ${isPending ? sql`1` : sql`state`}, version = version + ${isChanged ? 1 : 0}::int,
      accounts = coalesce(${accounts ? [...accounts] : null}::text[], accounts),
      trace = coalesce(${trace ?? null}::text, trace),
      trace_id = coalesce(${traceId ?? null}::bytea, trace_id),
      seen_lt = coalesce(${seenLt ?? null}::int8, seen_lt),
      seen_nodes = coalesce(${seenNodes ?? null}::int4, seen_nodes),
      awaited = coalesce(${awaited ? [...awaited] : null}::bytea[], awaited),
      changed_at = ${isChanged ? sql`clock_timestamp()` : sql`changed_at`},
      expires_at = ${expiresMs === undefined ? sql`expires_at` : inMs(expiresMs)},
      due_at = least(due_at, ${inMs(dueMs)}), leased_until = null
    where hash_norm = ${claim.hash_norm} and lease = ${claim.lease}`.execute(db)
  if (isChanged && numAffectedRows) await notifyPending(db)
  return numAffectedRows === 1n
}

/** Of the message, its accounts and the time remain, for clients who were away. */
const VOID = sql`state = ${INVALIDATED}, version = version + 1, changed_at = clock_timestamp(),
  leased_until = null, trace = null, boc = ''`

/**
 * Marks a claimed message as one that will not be executed, which readers are notified of. `reason`: text for
 * clients. False when another worker holds the lease.
 */
export async function invalidatePending(db: Db, claim: Claim, reason: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update pending_traces set ${VOID}, reason = ${reason}
    where hash_norm = ${claim.hash_norm} and lease = ${claim.lease}`.execute(db)
  await notifyPending(db)
  return numAffectedRows === 1n
}

/**
 * As `invalidatePending`, for a message that no server accepts, even if another worker holds its lease. Does
 * nothing once it was executed. A message that readers have not seen yet is deleted and may be sent again at
 * once.
 */
export async function withdrawPending(db: Db, hashNorm: Buffer, reason: string): Promise<void> {
  await sql`delete from pending_traces where hash_norm = ${hashNorm} and state = 0`.execute(db)
  await sql`
    update pending_traces set ${VOID}, reason = ${reason}, lease = lease + 1
    where hash_norm = ${hashNorm} and state = 1 and trace_id is null`.execute(db)
  await notifyPending(db)
}

/** Deletes a claimed message. Does nothing if another worker holds the lease. */
export async function deletePending(db: Db, { hash_norm, lease }: Claim): Promise<void> {
  await sql`delete from pending_traces where hash_norm = ${hash_norm} and lease = ${lease}`.execute(db)
}

/**
 * Makes messages due whose receiver or trace has changed in the tables since they were last examined. Index:
 * primary key of latest_account_states, traces (trace_id).
 */
export async function wakePending(db: Db): Promise<void> {
  await sql`
    update pending_traces p set due_at = now()
    where p.state <> ${INVALIDATED} and p.due_at > now() and case
      when p.trace_id is null then exists (select from latest_account_states s
        where s.account_id = p.account_id and s.lt > coalesce(p.seen_lt, -1))
      else exists (select from traces r where r.trace_id = p.trace_id and r.nodes <> p.seen_nodes) end
    `.execute(db)
}

/**
 * Makes messages due whose traces await one of these messages (hashes, normalised if external), which a block
 * that is not final has received.
 */
export async function wakeAwaiting(db: Db, hashes: readonly Buffer[]): Promise<void> {
  if (hashes.length === 0) return
  await sql`
    update pending_traces set due_at = now()
    where state <> ${INVALIDATED} and due_at > now() and awaited && ${[...hashes]}::bytea[]`.execute(db)
}

/** Seconds that an invalidated message is kept, so that every process notifies its clients. */
const NOTIFIED_SECONDS = 60
/** The same for clients that reconnect; only the newest `REMEMBERED` messages. */
const REMEMBERED_SECONDS = 300
const REMEMBERED = 5_000

/** Deletes messages that were invalidated long enough ago for clients to have learned of it. */
export async function trimPending(db: Db): Promise<void> {
  await sql`
    with old as (select changed_at as at from pending_traces where state = ${INVALIDATED}
      order by changed_at desc offset ${REMEMBERED} limit 1)
    delete from pending_traces where state = ${INVALIDATED}
      and changed_at < now() - make_interval(secs => ${NOTIFIED_SECONDS})
      and (changed_at < now() - make_interval(secs => ${REMEMBERED_SECONDS})
        or changed_at <= (select at from old))`.execute(db)
}
