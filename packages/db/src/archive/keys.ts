import { sleep } from '@shardwalk/concurrency'
import type pg from 'pg'
import { lock, tryLock } from '../writing/locks.ts'
import { PARTITIONED_TABLES } from '../writing/partitions.ts'
import { inTransaction, isLockTimeout } from '../writing/transaction.ts'

/** Readers and writers wait behind a lock on all partitions, so the wait for it is short. Milliseconds. */
const LOCK_TIMEOUT_MS = 2_000
const PAUSE_MS = 200
const DEADLOCK = '40P01'

/**
 * Runs a short transaction that changes partitions; repeats it while it fails because others hold locks on
 * them for too long.
 */
export async function changePartitions(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      const isDone = await inTransaction(pool, async (client) => {
        if (!(await tryLock(client, 'migrations'))) return false
        await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
        // As everywhere else: first this lock, then tables.
        await lock(client, 'partitions')
        await work(client)
        return true
      })
      if (isDone) return
    } catch (error) {
      if (!isLockTimeout(error) && (error as { code?: string }).code !== DEADLOCK) throw error
    }
    await sleep(PAUSE_MS)
  }
}

interface Partition {
  readonly name: string
  readonly bound: string
  readonly from: string
  readonly to: string
  readonly isProved: boolean
}

/** Stands for the bounds of a partition while it is not attached, so that attaching reads no row. */
const PROOF = 'within_bounds'

/**
 * Takes the primary keys from the partitioned tables and leaves them to the partitions: a table with a
 * foreign partition has no unique index. Only the catalogue changes: detached, a partition keeps its index.
 */
export async function dropKeys(pool: pg.Pool): Promise<void> {
  for (const table of PARTITIONED_TABLES) {
    if (!(await keyOf(pool, table))) continue
    for (const one of await localPartitions(pool, table)) {
      if (!one.isProved)
        await changePartitions(pool, async (client) => {
          await client.query(
            `alter table ${one.name} add constraint ${PROOF}
             check (lt >= ${one.from} and lt < ${one.to}) not valid`,
          )
        })
      await pool.query(`alter table ${one.name} validate constraint ${PROOF}`)
    }
    await changePartitions(pool, async (client) => {
      const key = await keyOf(client, table)
      if (!key) return
      await client.query(`lock table ${table} in access exclusive mode`)
      const partitions = await localPartitions(client, table)
      for (const { name } of partitions) await client.query(`alter table ${table} detach partition ${name}`)
      await client.query(`alter table ${table} drop constraint ${key}`)
      for (const { name, bound } of partitions) {
        await client.query(`alter table ${table} attach partition ${name} ${bound}`)
        await client.query(`alter table ${name} drop constraint if exists ${PROOF}`)
      }
    })
  }
}

async function keyOf(client: pg.Pool | pg.ClientBase, table: string): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(conname) as name from pg_constraint where conrelid = $1::regclass and contype = 'p'`,
    [table],
  )
  return rows[0]?.name
}

async function localPartitions(
  client: pg.Pool | pg.ClientBase,
  table: string,
): Promise<readonly Partition[]> {
  const { rows } = await client.query<Partition>(
    `select c.oid::regclass::text as name, bound, b[1] as from, b[2] as to,
       exists (select from pg_constraint k where k.conrelid = c.oid and k.conname = '${PROOF}') as "isProved"
     from pg_inherits i join pg_class c on c.oid = i.inhrelid, pg_get_expr(c.relpartbound, c.oid) bound,
       regexp_match(bound, '\\(''(\\d+)''\\) TO \\(''(\\d+)''\\)') b
     where i.inhparent = $1::regclass and c.relkind = 'r' order by b[1]::int8`,
    [table],
  )
  return rows
}
