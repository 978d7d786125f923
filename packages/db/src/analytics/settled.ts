import type pg from 'pg'
import type { Dataset } from './define-dataset.ts'

/**
 * Whether the rows of a dataset up to a masterchain block are final: nothing up to it waits to be examined or
 * classified, as far as they depend on that.
 */
export async function isSettled(
  pool: pg.Pool,
  { dependsOn }: Pick<Dataset, 'dependsOn'>,
  seqno: number,
): Promise<boolean> {
  if (!dependsOn) return true
  const { rows } = await pool.query<{ waiting: boolean }>(
    `select exists (select from refresh_queue q where q.lt <= b.batch_end_lt)
       or exists (select from event_queue e where e.mc_seqno <= b.seqno)
       or ($2 and exists (select from unclassified_traces u where u.end_lt <= b.batch_end_lt)) as waiting
     from blocks b where b.workchain = -1 and b.shard = -9223372036854775808 and b.seqno = $1`,
    [seqno, dependsOn === 'actions'],
  )
  return rows[0]?.waiting === false
}
