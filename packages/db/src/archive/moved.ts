import type { Lt } from '@shardwalk/model'
import { ARCHIVE_STATE } from '@shardwalk/tables'
import type pg from 'pg'
import type { ArchiveState } from '../queries/archived-partitions.ts'
import type { LtRange } from '../writing/partitions.ts'

/** Rows that were copied; `bytes` as they crossed the line. */
export interface Copied {
  readonly rows: number
  readonly bytes: number
}

/** A partition that was moved. */
export interface Moved extends LtRange, Copied {
  /** Brought back: schema on the archive server in which the copy was left (`schemaOf`). */
  readonly left?: string
}

/** Called after each step of a move; for tests. */
export type OnStep = (step: string) => void | Promise<void>

/** Records how far the move of the partition from this lt on has come. */
export async function setState(
  client: pg.Pool | pg.ClientBase,
  from: Lt,
  state: ArchiveState,
): Promise<void> {
  await client.query('update archived_partitions set state = $2 where from_lt = $1', [
    from,
    ARCHIVE_STATE.indexOf(state),
  ])
}
