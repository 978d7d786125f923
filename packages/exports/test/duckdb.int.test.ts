import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATASETS, type Dataset, type ExportType } from '@shardwalk/db'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportPartition, type FileFormat } from '../src/index.ts'
import { requestOf } from './requests.ts'
import { SAMPLE } from './sample-range.ts'

/** An independent reader; its programs are not available for every machine. */
const duckdb = await import('@duckdb/node-api').catch((error: Error) => {
  console.warn(`DuckDB does not load here, so no file is read by it: ${error.message}`)
  return undefined
})

const OF_SAMPLE = `mc_block_seqno between ${SAMPLE.from} and ${SAMPLE.to}`
/** Of messages that transactions received. */
const IN_VALUES = `select sum(m.value) from transactions t join messages m
  on m.account_id = coalesce(t.in_msg_account_id, t.account_id) and m.lt = t.in_msg_lt where ${OF_SAMPLE}`
const JETTONS = `select sum(amount) from jetton_transfers e join transactions using (account_id, lt)
  where e.confirmed and ${OF_SAMPLE}`

let scratch: ScratchDatabase
let folder: string
beforeAll(async () => {
  scratch = await classifiedChain()
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-duckdb-'))
})
afterAll(async () => {
  await scratch?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function write(dataset: Dataset, format: FileFormat): Promise<string> {
  const path = join(folder, dataset.name, format)
  const range = dataset.kind === 'range' && { range: SAMPLE }
  await exportPartition(scratch, requestOf(dataset.name, { folder: path, format, ...range }))
  return join(path, `part-00000.${format}`)
}

async function ask(query: string): Promise<(string | null)[][]> {
  const instance = await duckdb!.DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(query)).getRows() as (string | null)[][]
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** A value as NDJSON has it, as text. */
const asText = (column: string, type: ExportType): string => {
  if (type === 'bin') return `base64("${column}")`
  return type === 'ts' ? `strftime("${column}", '%Y-%m-%dT%H:%M:%S.%gZ')` : `"${column}"::varchar`
}

describe.runIf(duckdb)('DuckDB', () => {
  test.each(DATASETS)('reads what NDJSON has: $name', async (dataset) => {
    const [parquet, ndjson] = [await write(dataset, 'parquet'), await write(dataset, 'ndjson')]
    const types = Object.entries({ ...dataset.columns, ...dataset.bocs })
    const select = types.map(([name, [type]]) => asText(name, type)).join(', ')
    const read = await ask(`select ${select} from read_parquet('${parquet}')`)
    const lines = (await readFile(ndjson, 'utf8')).split('\n').slice(0, -1)
    const texts = lines.map((line) =>
      Object.values(JSON.parse(line) as object).map((value) => (value === null ? null : String(value))),
    )
    expect(read.length).toBe(texts.length)
    for (const [at, row] of read.entries())
      if (JSON.stringify(row) !== JSON.stringify(texts[at])) expect(row).toEqual(texts[at])
  })

  test.each([
    ['blocks', 'sum(tx_count)', `select count(*) from transactions where ${OF_SAMPLE}`],
    ['transactions', 'sum(total_fees)', `select sum(total_fees) from transactions where ${OF_SAMPLE}`],
    ['messages', "sum(value) filter (direction = 'in')", IN_VALUES],
    ['jetton_transfers', 'sum(amount)', JETTONS],
    ['jetton_holders', 'sum(balance)', 'select sum(balance) from jetton_wallets where balance > 0'],
    ['account_states', 'sum(balance)', `select sum(balance_after) from transactions where ${OF_SAMPLE}`],
  ] as const)('sums of %s are those of the tables', async (name, sum, query) => {
    const path = await write(DATASETS.find((one) => one.name === name)!, 'parquet')
    const { rows } = await scratch.pool.query<{ sum: string }>(`select (${query})::text as sum`)
    expect(await ask(`select (${sum})::varchar from read_parquet('${path}')`)).toEqual([[rows[0]!.sum]])
  })
})
