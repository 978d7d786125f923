// Bytes per transaction of a long chain: the recorded one with tokens and actions, repeated with other
// accounts, hashes and times, so that what a database takes only once does not count. Rows are in the order
// of the chain and all indexes new; those of partitions are as `shardwalk compact` leaves them.
//   node --import tsx apps/api/bench/space.bench.ts [copies of 7,637 transactions, default 14]
import { compactPartitions } from '@shardwalk/db'
import { endPartition, sampleChainDatabase } from '@shardwalk/testkit'
import { classifyWithoutFacts } from '@shardwalk/testkit/refresh-chain'
import { replicate } from './replicate.ts'

const [copies = 14] = process.argv.slice(2).map(Number)
const scratch = await sampleChainDatabase()
await classifyWithoutFacts(scratch)
await replicate(scratch.url, copies - 1, undefined, { dense: true })
// Those of tokens were there before their rows.
await scratch.pool.query('reindex schema public')
await endPartition(scratch)
await compactPartitions(scratch.pool)
const { rows } = await scratch.pool.query<{ name: string; table: number; indexes: number }>(`
  with transactions as (select count(*)::float8 as n from public.transactions)
  select regexp_replace(c.relname, '_lt_\\d+$', '') as name,
    sum(pg_table_size(c.oid)) / n as table, sum(pg_indexes_size(c.oid)) / n as indexes
  from transactions, pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
  group by 1, n order by sum(pg_total_relation_size(c.oid)) desc`)
const print = (name: string, table: number, indexes: number) =>
  console.log(
    `${name.padEnd(26)} ${table.toFixed(1).padStart(8)} ${indexes.toFixed(1).padStart(8)} ` +
      `${(table + indexes).toFixed(1).padStart(8)}`,
  )
console.log(`${'bytes per transaction'.padEnd(26)}    table  indexes      all`)
for (const { name, table, indexes } of rows.filter((row) => row.table + row.indexes >= 1))
  print(name, table, indexes)
const sum = (of: 'table' | 'indexes') => rows.reduce((total, row) => total + row[of], 0)
print('all', sum('table'), sum('indexes'))
await scratch.close()
process.exit()
