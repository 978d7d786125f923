import type { McBlockSeqno } from '@shardwalk/model'
import type pg from 'pg'

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
  onlineIndexes: 0x53570013,
  descriptions: 0x53570014,
} as const

/** Held until the transaction ends. Calls with common seqnos wait for each other instead of writing twice. */
export async function lockSeqnos(client: pg.ClientBase, seqnos: readonly McBlockSeqno[]): Promise<void> {
  const sorted = [...seqnos].sort((a, b) => a - b)
  await client.query('select pg_advisory_xact_lock($1, seqno) from unnest($2::int[]) seqno', [
    LOCK_KEYS.seqno,
    sorted,
  ])
}

export async function lock(
  client: pg.ClientBase,
  what: 'partitions' | 'accountIds' | 'traces' | 'contracts' | 'facts' | 'reclassify' | 'grants',
): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, 0)', [LOCK_KEYS[what]])
}

/** Shared: any number may hold it at once; `lock` waits for all of them and blocks new ones. */
export async function lockShared(client: pg.ClientBase, what: 'facts'): Promise<void> {
  await client.query('select pg_advisory_xact_lock_shared($1, 0)', [LOCK_KEYS[what]])
}
