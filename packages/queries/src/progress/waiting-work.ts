import type { Db } from '@shardwalk/db'
import { sql } from 'kysely'
import { statement } from '../idiom/index.ts'

/** Work behind the head. Numbers are counted up to `COUNTED`. */
export interface WaitingWork {
  /** Contracts to be examined. */
  readonly contracts: number
  /** Contracts whose state is not known. */
  readonly missing_states: number
  /** Complete traces without actions, and how long one of them waits at most. */
  readonly traces: number
  readonly traces_oldest_seconds: number
  /** Traces that have basic actions only. */
  readonly failed_traces: number
  /** Documents of tokens to be fetched. */
  readonly metadata: number
}

/** More are not counted, because counting reads the rows. */
export const COUNTED = 100_000

const WAITING = statement<WaitingWork>('waiting work', {
  contracts: 'int4',
  missing_states: 'int4',
  traces: 'int4',
  traces_oldest_seconds: 'float8',
  failed_traces: 'int4',
  metadata: 'int4',
})

/** Raw: six counts, each of a limited part of a table. */
export async function readWaitingWork(db: Db): Promise<WaitingWork> {
  const count = (table: string) =>
    sql`(select count(*)::int4 from (select from ${sql.table(table)} limit ${COUNTED}) t)`
  const [row] = await WAITING.rows(
    db,
    sql`
    select ${count('refresh_queue')} as contracts, ${count('missing_states')} as missing_states,
      ${count('unclassified_traces')} as traces,
      (select coalesce(extract(epoch from now() - min(queued_at)), 0)::float8
        from (select queued_at from unclassified_traces limit ${COUNTED}) t) as traces_oldest_seconds,
      ${count('classification_failures')} as failed_traces, ${count('metadata_queue')} as metadata`,
  )
  return row!
}
