import type pg from 'pg'
import { ofMasterchain } from '../rows/of-masterchain.ts'
import type { Dataset } from './define-dataset.ts'

/**
 * Whether the rows of a dataset up to a masterchain block are final: nothing up to it waits to be examined or
 * classified, as far as they depend on that. Queues may be long and are asked along their indexes:
 * refresh_queue_fresh, refresh_queue_leased, unclassified_traces_end_lt.
 */
export async function isSettled(
  pool: pg.Pool,
  { dependsOn }: Pick<Dataset, 'dependsOn'>,
  seqno: number,
): Promise<boolean> {
  if (!dependsOn) return true
  const { rows } = await pool.query<{ waiting: boolean }>(
    `select coalesce((select min(lt) from refresh_queue where leased_until is null) <= b.batch_end_lt
       or (select min(lt) from refresh_queue where leased_until >= '-infinity') <= b.batch_end_lt
       or (select min(mc_seqno) from event_queue) <= b.seqno
       or $2 and (select min(end_lt) from unclassified_traces) <= b.batch_end_lt,
       false) as waiting
     from blocks b where ${ofMasterchain('b')} and b.seqno = $1`,
    [seqno, dependsOn === 'actions'],
  )
  return rows[0]?.waiting === false
}
