import { type Db, PENDING_STATE, type Row } from '@shardwalk/db'
import { sql } from 'kysely'
import { selected, statement, tableColumns } from '../idiom/index.ts'

const PENDING = PENDING_STATE.indexOf('pending')
const INVALIDATED = PENDING_STATE.indexOf('invalidated')

const PENDING_TYPES = tableColumns(
  'pending_traces',
  'hash_norm',
  'hash',
  'account',
  'version',
  'accounts',
  'trace',
  'trace_id',
)
const COLUMNS = selected('p', PENDING_TYPES)

/** A message that was sent, and what it is expected to do. */
export type PendingRow = Readonly<Pick<Row<'pending_traces'>, keyof typeof PENDING_TYPES>>

/** Emulated traces in one reply, the latest first. */
const MOST = 256

/** Raw: the operator of the index. Index: pending_traces (accounts). */
const OF_ACCOUNTS = statement<PendingRow>('pending traces of accounts', PENDING_TYPES)

/** Pending traces that concern one of the accounts (raw form), the latest first, at most 256. */
export async function pendingOfAccounts(db: Db, accounts: readonly string[]): Promise<readonly PendingRow[]> {
  if (accounts.length === 0) return []
  return OF_ACCOUNTS.rows(
    db,
    sql`
    select ${COLUMNS} from pending_traces p
    where p.accounts && ${accounts}::text[] and p.state = ${PENDING} and p.trace is not null
    order by p.admitted_at desc limit ${MOST}`,
  )
}

/** Raw: either hash. Index: primary key, pending_traces (hash). */
const BY_HASHES = statement<PendingRow>('pending traces by hash', PENDING_TYPES)

/** Pending traces of the messages with these hashes, normalised or not, at most 256. */
export async function pendingByHashes(db: Db, hashes: readonly Buffer[]): Promise<readonly PendingRow[]> {
  if (hashes.length === 0) return []
  return BY_HASHES.rows(
    db,
    sql`
    select ${COLUMNS} from pending_traces p
    where (p.hash_norm = any(${hashes}::bytea[]) or p.hash = any(${hashes}::bytea[]))
      and p.state = ${PENDING} and p.trace is not null
    order by p.admitted_at desc limit ${MOST}`,
  )
}

const CHANGE_TYPES = tableColumns('pending_traces', 'hash_norm', 'hash', 'version', 'state', 'accounts')

/** A change of a pending trace: its key and version, without the trace. */
export type PendingChange = Readonly<Pick<Row<'pending_traces'>, keyof typeof CHANGE_TYPES>>

/** Raw: the clock of the server. Reads the whole table, which is small. */
const CHANGED = statement<PendingChange>('pending traces that changed', CHANGE_TYPES)

/**
 * Changes of pending traces in the last seconds, in order of time. A change becomes visible a moment after
 * its time, so readers must ask for a longer period than since their last call.
 */
export const pendingChanges = (db: Db, seconds: number): Promise<readonly PendingChange[]> =>
  CHANGED.rows(
    db,
    sql`
    select ${selected('p', CHANGE_TYPES)} from pending_traces p
    where p.changed_at > now() - make_interval(secs => ${seconds}) and p.state > 0 order by p.changed_at`,
  )

/** Raw: a list of keys. Index: primary key. */
const LIVE = statement<Pick<PendingChange, 'hash_norm'>>('messages that are pending', { hash_norm: 'bytea' })

/** Those of the messages (normalised hashes) that are pending. */
export async function pendingAmong(db: Db, hashes: readonly Buffer[]): Promise<readonly Buffer[]> {
  if (hashes.length === 0) return []
  const rows = await LIVE.rows(
    db,
    sql`select p.hash_norm from pending_traces p
      where p.hash_norm = any(${hashes}::bytea[]) and p.state = ${PENDING}`,
  )
  return rows.map((row) => row.hash_norm)
}

/** Raw: the operator of the index. Index: primary key, pending_traces (accounts), (hash). */
const VOID = statement<Pick<PendingRow, 'hash' | 'hash_norm'>>('messages that were invalidated', {
  hash: 'bytea',
  hash_norm: 'bytea',
})

/** Most hashes that are returned, the latest. */
const MOST_VOID = 1_000

/**
 * Hashes of invalidated messages, as long as they are kept: those that concerned one of the accounts (raw
 * form) when they were invalidated, and those with one of the hashes, normalised or not. The oldest comes
 * first.
 */
export async function invalidatedAmong(
  db: Db,
  { accounts, hashes }: { readonly accounts: readonly string[]; readonly hashes: readonly Buffer[] },
): Promise<readonly Pick<PendingRow, 'hash' | 'hash_norm'>[]> {
  const rows = await VOID.rows(
    db,
    sql`select p.hash, p.hash_norm from pending_traces p
      where p.state = ${INVALIDATED}
        and (p.accounts && ${accounts}::text[] or p.hash_norm = any(${hashes}::bytea[])
          or p.hash = any(${hashes}::bytea[]))
      order by p.changed_at desc limit ${MOST_VOID}`,
  )
  return [...rows].reverse()
}

/** Raw: elements of arrays. Reads the whole table, which is small. */
const AWAITED = statement<{ readonly hash: Buffer }>('messages that pending traces await', { hash: 'bytea' })

/** Hashes of messages that live pending traces await, normalised if external. */
export async function awaitedMessages(db: Db): Promise<readonly Buffer[]> {
  const rows = await AWAITED.rows(
    db,
    sql`select distinct unnest(p.awaited) as hash from pending_traces p where p.state <> ${INVALIDATED}`,
  )
  return rows.map((row) => row.hash)
}
