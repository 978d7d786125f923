// Compares account ids with 33-byte addresses in the big tables: same rows, same order of insertion, same
// indexes.
//   node --import tsx packages/db/bench/address-encoding.bench.ts [copies of the recorded chain, default 4]
import { BatchSink, encodeBatch } from '@shardwalk/db'
import type { Batch } from '@shardwalk/model'
import { fixtureChain, scratchDatabase } from '@shardwalk/testkit'
import { copyOfBatch } from './scaled-chain.ts'

const ADDRESS_COLUMNS = {
  transactions: ['account_id', 'in_msg_account_id'],
  messages: ['account_id', 'destination_id'],
}
const copies = Number(process.argv[2] ?? 4)
const chain: { batch: Batch; globalVersion: number }[] = []
for await (const { batch, globalVersion } of fixtureChain()) chain.push({ batch, globalVersion })
const extent = { batches: chain.length, lt: chain.at(-1)!.batch.masterchain.header.endLt }

const scratch = await scratchDatabase()
try {
  const sink = new BatchSink(scratch.pool)
  for (let copy = 0; copy < copies; copy++)
    for (let at = 0; at < chain.length; at += 50)
      await sink.commitBatches(
        chain
          .slice(at, at + 50)
          .map(({ batch, globalVersion }) =>
            encodeBatch(copyOfBatch(batch, copy, extent), { globalVersion }),
          ),
      )
  for (const table of ['transactions', 'messages'] as const) {
    await copyTable(table, 'ids', (column) => `t.${column}`)
    await copyTable(
      table,
      'inline',
      (column) => `(select int4send(a.workchain) || a.address from accounts a where a.id = t.${column})`,
    )
  }
  const ids = (await sizeOf('ids')) + (await sizeOf('', ['accounts', 'accounts_pkey']))
  const inline = await sizeOf('inline')
  const { rows } = await scratch.pool.query<{ n: bigint }>('select count(*) as n from transactions')
  const transactions = Number(rows[0]!.n)
  console.log(
    `${transactions} transactions; tables transactions and messages with all indexes, for ids the table ` +
      'accounts too',
  )
  console.log(`account ids: ${(ids / transactions).toFixed(1)} bytes per transaction`)
  console.log(
    `inline 33-byte addresses: ${(inline / transactions).toFixed(1)} bytes per transaction, ` +
      `${((100 * inline) / ids).toFixed(0)} %`,
  )
} finally {
  await scratch.close()
}

/**
 * Creates a table like the original but with its account columns replaced. Inline, a workchain takes one
 * byte.
 */
async function copyTable(
  table: keyof typeof ADDRESS_COLUMNS,
  schema: 'ids' | 'inline',
  expression: (column: string) => string,
): Promise<void> {
  const { pool } = scratch
  await pool.query(
    `create schema if not exists ${schema}; create table ${schema}.${table}
      (like public.${table} including all)`,
  )
  const columns = await pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = $1 and table_name = $2
      order by ordinal_position`,
    [schema, table],
  )
  const accounts = ADDRESS_COLUMNS[table]
  if (schema === 'inline')
    for (const column of accounts)
      await pool.query(`alter table ${schema}.${table} alter column ${column} type bytea using null`)
  const list = columns.rows.map(({ name }) => {
    if (!accounts.includes(name)) return `t.${name}`
    return schema === 'ids' ? expression(name) : `substring(${expression(name)} from 4)`
  })
  await pool.query(
    `insert into ${schema}.${table} select ${list.join(', ')} from public.${table} t
      order by t.lt, t.account_id`,
  )
}

async function sizeOf(schema: string, names?: readonly string[]): Promise<number> {
  const { rows } = await scratch.pool.query<{ bytes: bigint }>(
    `select coalesce(sum(pg_relation_size(c.oid) + case when c.relkind = 'r'
      then coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0) else 0 end), 0)::bigint as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'i') and ($2::text[] is null or c.relname = any($2))`,
    [schema || 'public', names ?? null],
  )
  return Number(rows[0]!.bytes)
}
