import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import type { Pool } from 'pg'

/**
 * Masterchain blocks are left out, because contracts are examined at the newest, and with them traces that
 * reach the masterchain.
 */
const LEAVE_OUT = [
  `create temporary table gone as
   with reaching as (
     select distinct trace_id_of(piece) as trace_id from transactions where account_id < 0)
   select t.account_id, t.lt, t.out_msg_count, t.piece, r.trace_id
   from transactions t join reaching r on r.trace_id = trace_id_of(t.piece)`,
  `delete from messages m using gone g
   where m.account_id = g.account_id and m.lt between g.lt and g.lt + g.out_msg_count`,
  'delete from transactions t using gone g where t.account_id = g.account_id and t.lt = g.lt',
  'delete from traces where trace_id in (select trace_id from gone)',
  'delete from trace_pieces where piece in (select piece from gone)',
  'delete from actions where trace_id in (select trace_id from gone)',
  'delete from blocks where workchain = -1',
]

/** Tables as texts of JSON. */
export type BaseRows = ReadonlyMap<string, string>

/**
 * Rows of the whole recorded chain, indexed, examined and classified in a database of its own, without what
 * is left out.
 */
export async function recordedRows(tables: readonly string[]): Promise<BaseRows> {
  const chain = await classifiedChain()
  const client = await chain.pool.connect()
  try {
    for (const statement of LEAVE_OUT) await client.query(statement)
    const found = new Map<string, string>()
    for (const table of tables) {
      const { rows } = await client.query<{ rows: string }>(
        `select coalesce(json_agg(t), '[]')::text as rows from ${table} t`,
      )
      found.set(table, rows[0]!.rows)
    }
    return found
  } finally {
    client.release(true)
    await chain.close()
  }
}

/** Puts them into the schema `base`. */
export async function putRows(pool: Pool, tables: BaseRows): Promise<void> {
  for (const [table, rows] of tables) {
    await pool.query(`create table base.${table} (like public.${table})`)
    await pool.query(
      `insert into base.${table} select * from json_populate_recordset(null::public.${table}, $1::json)`,
      [rows],
    )
  }
}
