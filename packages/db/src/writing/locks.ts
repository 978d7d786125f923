import type { McBlockSeqno } from '@shardwalk/model'
import type pg from 'pg'

/**
 * First key of the two-part advisory locks: "what" of "what and which". Any number that other programs hardly use. All of them stand here, for
 * two uses of one number wait for each other for ever.
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
} as const

/** Held until the transaction ends. Two calls with common seqnos wait for each other instead of writing twice. */
export async function lockSeqnos(client: pg.ClientBase, seqnos: readonly McBlockSeqno[]): Promise<void> {
  const sorted = [...seqnos].sort((a, b) => a - b)
  await client.query('select pg_advisory_xact_lock($1, seqno) from unnest($2::int[]) seqno', [
    LOCK_KEYS.seqno,
    sorted,
  ])
}

export async function lock(
  client: pg.ClientBase,
  what: 'partitions' | 'accountIds' | 'traces' | 'contracts' | 'facts' | 'reclassify',
): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, 0)', [LOCK_KEYS[what]])
}

/** Any number may hold it at once; who takes it by `lock` waits for them and keeps new ones waiting. */
export async function lockShared(client: pg.ClientBase, what: 'facts'): Promise<void> {
  await client.query('select pg_advisory_xact_lock_shared($1, 0)', [LOCK_KEYS[what]])
}
