// Bytes on disk per transaction of the recorded chain, in the tables of TON Center's indexer and in ours.
// Both are filled in the order of the chain with their indexes in place; nothing is rewritten.
//   node --import tsx packages/db/bench/reference.bench.ts

import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import pg from 'pg'
import { REFERENCE_ROWS } from './reference-rows.ts'
import { REFERENCE_INDEXES, REFERENCE_TABLES, REFERENCE_TYPES } from './reference-schema.ts'

/** Tables that hold the same, theirs and ours. */
const GROUPS: Readonly<Record<string, readonly [theirs: readonly string[], ours: readonly string[]]>> = {
  blocks: [['blocks', 'shard_state'], ['blocks']],
  'transactions, states after each': [['transactions', 'account_states'], ['transactions']],
  messages: [['messages', 'message_contents'], ['messages']],
  'accounts and their newest states': [
    ['latest_account_states'],
    ['accounts', 'latest_account_states', 'account_data', 'codes'],
  ],
  traces: [['traces'], ['traces', 'trace_pieces']],
  actions: [
    ['actions', 'action_accounts'],
    ['actions', 'action_accounts'],
  ],
}

const scratch = await classifiedChain()
// Without the time limits of the pool: on a busy machine a table takes minutes.
const client = new pg.Client(scratch.url)
await client.connect()
try {
  await client.query(REFERENCE_TYPES)
  for (const [table, columns] of Object.entries(REFERENCE_TABLES)) {
    await client.query(`create table reference.${table} (${columns})`)
    for (const index of REFERENCE_INDEXES[table] ?? [])
      await client.query(`create index on reference.${table} ${index}`)
    await client.query(`insert into reference.${table} ${REFERENCE_ROWS[table]}`)
  }
  await client.query('vacuum analyze')
  const { rows } = await client.query('select count(*)::int as n from public.transactions')
  const count: number = rows[0].n
  const total = { theirs: 0, ours: 0 }
  for (const [name, [theirs, ours]] of Object.entries(GROUPS)) {
    const sizes = [await bytesOf('reference', theirs), await bytesOf('public', ours)] as const
    total.theirs += sizes[0].all
    total.ours += sizes[1].all
    console.log(`${name.padEnd(34)} ${sizes.map((size) => text(size, count)).join('   ours ')}`)
  }
  console.log(
    `all: ${(total.theirs / count).toFixed(0)} bytes per transaction, ` +
      `ours ${(total.ours / count).toFixed(0)}: ${(total.theirs / total.ours).toFixed(1)} times`,
  )
} finally {
  await client.end()
  await scratch.close()
}

interface Size {
  readonly rows: number
  readonly all: number
}

/** Bytes of tables with their partitions; of rows with what is stored out of line, and with indexes. */
async function bytesOf(schema: string, tables: readonly string[]): Promise<Size> {
  const { rows } = await client.query<{ rows: string; all: string }>(
    `with wanted as (select format('%I.%I', $1::text, name)::regclass::oid as id from unnest($2::text[]) name)
     select sum(pg_table_size(id)) as rows, sum(pg_total_relation_size(id)) as all from (
       select id from wanted union select inhrelid from pg_inherits join wanted on id = inhparent) tables`,
    [schema, tables],
  )
  return { rows: Number(rows[0]!.rows), all: Number(rows[0]!.all) }
}

function text({ rows, all }: Size, count: number): string {
  const per = (bytes: number) => (bytes / count).toFixed(0)
  return `${per(all).padStart(5)} (${per(rows).padStart(4)} without indexes)`
}
