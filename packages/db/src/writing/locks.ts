import type { AccountId, Lt, McBlockSeqno } from '@shardwalk/model'
import type pg from 'pg'
import { queryKept } from './kept-plans.ts'

/**
 * First keys of the two-part advisory locks; arbitrary numbers that other programs are unlikely to use. They
 * are all listed here, because two uses of one number would block each other.
 */
export const LOCK_KEYS = {
  seqno: 0x53570001,
  partitions: 0x53570003,
  accountIds: 0x53570004,
  traces: 0x53570005,
  contracts: 0x53570007,
  facts: 0x53570008,
  reclassify: 0x53570009,
  links: 0x53570010,
  headFollowed: 0x53570011,
  grants: 0x53570012,
  /** Held by whatever changes tables while they are in use. */
  migrations: 0x53570013,
  descriptions: 0x53570014,
  messages: 0x53570015,
  ranges: 0x53570016,
  retention: 0x53570021,
  pending: 0x53570017,
  compaction: 0x53570022,
  filters: 0x53570025,
  archive: 0x53570023,
  /** Held by whatever changes which events of a webhook are due. */
  webhooks: 0x53570024,
} as const

/** Held until the transaction ends. Calls with common seqnos wait for each other instead of writing twice. */
export async function lockSeqnos(client: pg.ClientBase, seqnos: readonly McBlockSeqno[]): Promise<void> {
  const sorted = [...seqnos].sort((a, b) => a - b)
  await queryKept(client, 'select pg_advisory_xact_lock($1, seqno) from unnest($2::int[]) seqno', [
    LOCK_KEYS.seqno,
    sorted,
  ])
}

type Lock =
  | 'partitions'
  | 'accountIds'
  | 'traces'
  | 'contracts'
  | 'facts'
  | 'reclassify'
  | 'grants'
  | 'ranges'

/** Waits for the lock and holds it until the transaction ends. */
export async function lock(client: pg.ClientBase, what: Lock): Promise<void> {
  await queryKept(client, 'select pg_advisory_xact_lock($1, 0)', [LOCK_KEYS[what]])
}

/** Does not wait; false if others have it. */
export async function tryLock(client: pg.ClientBase, what: 'migrations'): Promise<boolean> {
  const { rows } = await client.query<{ ok: boolean }>('select pg_try_advisory_xact_lock($1, 0) as ok', [
    LOCK_KEYS[what],
  ])
  return rows[0]!.ok
}

/** Shared: any number may hold it at once; `lock` waits for all of them and blocks new ones. */
export async function lockShared(client: pg.ClientBase, what: 'facts' | 'reclassify'): Promise<void> {
  await client.query('select pg_advisory_xact_lock_shared($1, 0)', [LOCK_KEYS[what]])
}

/** A message by its key: sender and lt. */
interface MessageKey {
  readonly accountId: AccountId
  readonly lt: Lt
}

/**
 * Held until the transaction ends. Two batches with the two ends of a message wait for each other, others do
 * not; whoever has the lock `traces` excludes all of them. `most`: batches with more messages take that one
 * instead, because the server's lock table is limited.
 */
export async function lockMessages(
  client: pg.ClientBase,
  messages: readonly MessageKey[],
  most: number,
): Promise<void> {
  const numbers = [...new Set(messages.map(numberOf))].sort((a, b) => a - b)
  if (numbers.length > most) return lock(client, 'traces')
  await queryKept(client, LOCK_MESSAGES, [numbers])
}

/** An outer join begins with its left side, so the shared lock comes first, and without messages as well. */
const LOCK_MESSAGES = `with held as materialized (
    select pg_advisory_xact_lock_shared(${LOCK_KEYS.traces}, 0))
  select pg_advisory_xact_lock(${LOCK_KEYS.messages}, number)
  from held left join unnest($1::int[]) number on true`

/** 32 bits of the key; two messages with the same number merely wait for each other without need. */
function numberOf({ accountId, lt }: MessageKey): number {
  const low = Number(BigInt.asIntN(32, accountId ^ (accountId >> 32n)))
  const time = Number(BigInt.asIntN(32, lt ^ (lt >> 32n)))
  return (Math.imul(low, 0x9e3779b1) ^ Math.imul(time, 0x85ebca6b)) | 0
}

/** Share of the lock table that one batch may take for messages. */
const SHARE = 16

/** See `lockMessages`. Source: PostgreSQL manual, "Lock Management". */
export async function readMostMessageLocks(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ most: number }>(
    `select current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int
       / ${SHARE} as most`,
  )
  return rows[0]!.most
}
