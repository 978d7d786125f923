import type { Lt } from '@shardwalk/model'
import { ARCHIVE_STATE } from '@shardwalk/tables'
import type pg from 'pg'
import { greatest } from '../rows/lt.ts'
import type { LtRange } from '../writing/partitions.ts'

/** An element of `ARCHIVE_STATE`. */
export type ArchiveState = (typeof ARCHIVE_STATE)[number]

/** A partition that was moved to another server, with the lt of its rows. */
export interface ArchivedPartition extends LtRange {
  readonly server: string
  readonly state: ArchiveState
}

/** Archived partitions by first lt, those included that are being moved. */
export async function readArchive(client: pg.Pool | pg.ClientBase): Promise<readonly ArchivedPartition[]> {
  const { rows } = await client.query<LtRange & { server: string; state: number }>(
    'select from_lt as from, to_lt as to, server, state from archived_partitions order by from_lt',
  )
  return rows.map(({ state, ...row }) => ({ ...row, state: ARCHIVE_STATE[state]! }))
}

/** States in which a partition is read from an archive server. */
export const FAR: readonly ArchiveState[] = ['switched', 'archived', 'returning']

/** First lt after all partitions that are read from archive servers; 0 if there are none. */
export const endOfArchive = (partitions: readonly ArchivedPartition[]): Lt =>
  partitions
    .filter(({ state }) => FAR.includes(state))
    .map(({ to }) => to)
    .reduce(greatest, 0n)
