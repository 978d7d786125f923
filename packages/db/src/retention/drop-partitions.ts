import type { Lt } from '@shardwalk/model'
import type { PieceId } from '@shardwalk/traces'
import type pg from 'pg'
import { deleteTransactions } from '../sink/delete-range.ts'
import { lock, tryLock } from '../writing/locks.ts'
import { createPartition, PARTITIONED_TABLES } from '../writing/partitions.ts'
import { inTransaction, isLockTimeout } from '../writing/transaction.ts'

/** Traces that are cut at once. */
const TRACES = 50
/** Readers and writers wait behind the lock on all partitions, so the wait for it is short. Milliseconds. */
const LOCK_TIMEOUT_MS = 2_000

/** Transactions that remain, whose message was sent before the cut. Index: transactions_in_msg. */
const ACROSS = 'k.lt >= $1 and k.in_msg_lt < $1 and k.in_msg_account_id is not null'

/**
 * Deletes the transactions before the cut of traces that go on after it. The rest of such a trace is stored
 * like one whose beginning was never indexed. Returns the number of traces that were cut; 0: there are no
 * more.
 */
export const cutTraces = (pool: pg.Pool, lt: Lt): Promise<number> =>
  inTransaction(pool, async (client) => {
    await lock(client, 'traces')
    const { rows } = await client.query<{ pieces: readonly PieceId[] }>(
      `select array(select p from pieces_of_trace(r.root) p) as pieces from (
         select distinct root_of_piece(k.piece) as root from transactions k where ${ACROSS}) r
       where exists (select from pieces_of_trace(r.root) p(piece)
         join transactions o on o.piece = p.piece and o.lt < $1)
       limit ${TRACES}`,
      [lt],
    )
    if (rows.length === 0) return 0
    const pieces = rows.flatMap((row) => row.pieces)
    await deleteTransactions(client, 'piece = any($1) and lt < $2', [pieces, lt], { keepsStates: true })
    return rows.length
  })

/**
 * Drops the partitions that end at the cut or before it, in one transaction. Messages from before it that a
 * remaining transaction received are kept, in partitions that have little else. False: others used the
 * tables for too long, or change them; try again.
 */
export async function dropPartitions(pool: pg.Pool, cut: Lt): Promise<boolean> {
  try {
    return await inTransaction(pool, async (client) => {
      if (!(await tryLock(client, 'migrations'))) return false
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
      // As everywhere else: first this lock, then tables.
      await lock(client, 'partitions')
      await client.query(`lock table only ${PARTITIONED_TABLES.join(', only ')} in access exclusive mode`)
      await client.query(
        `create temporary table carried on commit drop as
         select distinct m.* from transactions k
         join messages m on m.account_id = k.in_msg_account_id and m.lt = k.in_msg_lt where ${ACROSS}`,
        [cut],
      )
      for (const table of PARTITIONED_TABLES) {
        const { rows } = await client.query<{ from: Lt; to: Lt }>(
          'select lower(r) as from, upper(r) as to from drop_lt_partitions($1, $2) r',
          [table, cut],
        )
        if (table !== 'messages') continue
        for (const { from, to } of rows) {
          const { rowCount } = await client.query('select from carried where lt >= $1 and lt < $2 limit 1', [
            from,
            to,
          ])
          if (rowCount) await createPartition(client, table, { from, to })
        }
      }
      await client.query('insert into messages select * from carried')
      await client.query('delete from hash_filters where to_lt <= $1', [cut])
      return true
    })
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}
