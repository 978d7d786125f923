import type { Lt, McBlockSeqno } from '@shardwalk/model'
import type { PieceId } from '@shardwalk/traces'
import type pg from 'pg'

/** The columns of a trace that the caller has read. */
export interface TraceRowRead {
  readonly piece: PieceId
  readonly trace_id: Buffer
  readonly external_hash: Buffer | null
  readonly external_hash_norm: Buffer | null
  readonly mc_seqno_end: McBlockSeqno
  readonly start_lt: Lt
  readonly end_lt: Lt
  readonly start_utime: number
  readonly end_utime: number
  readonly nodes: number
}

/** Columns of `traces r`. */
export const TRACE_COLUMNS_READ =
  'r.piece, r.trace_id, r.external_hash, r.external_hash_norm, r.mc_seqno_end, ' +
  'r.start_lt, r.end_lt, r.start_utime, r.end_utime, r.nodes'

/** Traces by id; incomplete ones are omitted. */
export async function findTraceRows(client: pg.ClientBase, ids: readonly Buffer[]): Promise<TraceRowRead[]> {
  const { rows } = await client.query<TraceRowRead>(
    `select ${TRACE_COLUMNS_READ} from traces r where r.trace_id = any($1) and r.state = 0
      order by r.trace_id`,
    [ids],
  )
  return rows
}
