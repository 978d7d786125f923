import type { AccountId } from '@shardwalk/model'
import { PENDING_STATE } from '@shardwalk/tables'
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { LOCK_KEYS } from '../writing/locks.ts'
import { notifyPending } from './channel.ts'

/** Bounds of the table of pending messages. */
export interface PendingLimits {
  /** Messages in the table that were not invalidated. */
  readonly rows: number
  /** Bytes of messages and traces in the table. */
  readonly bytes: number
  /** Messages to one receiver that are admitted in ten seconds. Source: TON Center. */
  readonly perAccount: number
  /** Seconds after which a message that was given up may be sent again. Source: TON Center. */
  readonly againSeconds: number
  /** Seconds after which a message that did not happen is given up. */
  readonly lifeSeconds: number
}

/** The default limits. */
export const PENDING_LIMITS: PendingLimits = {
  rows: 5_000,
  bytes: 256 * 1024 * 1024,
  perAccount: 3,
  againSeconds: 10,
  lifeSeconds: 60,
}

const ACCOUNT_SECONDS = 10
const INVALIDATED = PENDING_STATE.indexOf('invalidated')

/** An external message to be admitted. `boc`: as it was sent; `hashNorm` by TEP-467. */
export interface AdmittedMessage {
  readonly hashNorm: Buffer
  readonly hash: Buffer
  readonly boc: Buffer
  /** Raw form. */
  readonly account: string
  readonly accountId: AccountId
}

/**
 * Why a message was not admitted: it is there already, too many were sent to its receiver, or there is no
 * room.
 */
export type Admission = 'admitted' | 'known' | 'too frequent' | 'full'

/**
 * Admits a message to the pending ones. Messages to one receiver are admitted one after another, so that the
 * limits hold however many processes there are.
 */
export const admitPending = (
  db: Db,
  message: AdmittedMessage,
  limits: PendingLimits = PENDING_LIMITS,
): Promise<Admission> =>
  db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${LOCK_KEYS.pending}::int, hashtext(${message.account}))`.execute(
      trx,
    )
    const refused = await refusal(trx, message, limits)
    if (refused) return refused
    await insert(trx, message, limits)
    await notifyPending(trx)
    return 'admitted'
  })

async function refusal(
  db: Db,
  { hashNorm, account }: AdmittedMessage,
  limits: PendingLimits,
): Promise<Admission | undefined> {
  const { rows } = await sql<{ known: boolean | null; recent: string; rows: string; bytes: string }>`
    select bool_or(state <> ${INVALIDATED}
        or changed_at > now() - make_interval(secs => ${limits.againSeconds}))
        filter (where hash_norm = ${hashNorm}) as known,
      count(*) filter (where account = ${account} and hash_norm <> ${hashNorm}
        and admitted_at > now() - make_interval(secs => ${ACCOUNT_SECONDS})) as recent,
      count(*) filter (where state <> ${INVALIDATED}) as rows,
      coalesce(sum(length(boc) + coalesce(octet_length(trace), 0)), 0) as bytes
    from pending_traces`.execute(db)
  const { known, recent, rows: count, bytes } = rows[0]!
  if (known) return 'known'
  if (Number(recent) >= limits.perAccount) return 'too frequent'
  if (Number(count) >= limits.rows || Number(bytes) >= limits.bytes) return 'full'
  return undefined
}

/** A message that was given up starts over; its version continues for readers. */
async function insert(db: Db, message: AdmittedMessage, { lifeSeconds }: PendingLimits): Promise<void> {
  const { hashNorm, hash, boc, account, accountId } = message
  await sql`
    insert into pending_traces as p (hash_norm, hash, boc, account, account_id, state, version, accounts,
      seen_nodes, admitted_at, changed_at, expires_at, due_at, lease, awaited)
    values (${hashNorm}, ${hash}, ${boc}, ${account}, ${accountId}, 0, 0, '{}', 0, now(), now(),
      now() + make_interval(secs => ${lifeSeconds}), now(), 0, array[${hashNorm}::bytea])
    on conflict (hash_norm) do update set hash = excluded.hash, boc = excluded.boc, state = 0, reason = null,
      version = p.version + 1, accounts = '{}', trace = null, trace_id = null, seen_lt = null, seen_nodes = 0,
      admitted_at = now(), changed_at = now(), expires_at = excluded.expires_at, due_at = now(),
      leased_until = null, lease = p.lease + 1, awaited = excluded.awaited
    where p.state = ${INVALIDATED}`.execute(db)
}
