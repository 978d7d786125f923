import { believeLarge, indexColumns, type ScratchDatabase, wholeScansIn } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DATASETS, readDataset, type SnapshotReading } from '../src/index.ts'
import { statementsOf } from './statements-of.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await classifiedChain()
  // Every other id of an account is negative; those of the five jettons of the sample are not.
  await scratch.pool.query('update jetton_wallets set jetton_id = -jetton_id where account_id % 2 = 0')
})
afterAll(() => scratch?.close())

const SNAPSHOTS = DATASETS.filter(({ kind }) => kind === 'snapshot')
const COPIED = /^copy \((.*)\) to stdout$/s

/** Statements that read the dataset in several pages, in order. */
const pagesOf = ({ pool }: ScratchDatabase, dataset: (typeof DATASETS)[number]) =>
  statementsOf(pool, async () => {
    const request = { dataset, columns: Object.keys(dataset.columns), reading: { rowsPerPage: 2 } }
    for await (const rows of readDataset(pool, request)) expect(rows.length).toBeGreaterThan(0)
  })

/** The first ones, at least `most`, or all that are left. */
async function rowsOf(
  dataset: (typeof DATASETS)[number],
  reading: SnapshotReading,
  most = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const found: string[] = []
  const request = { dataset, columns: Object.keys(dataset.columns), reading }
  for await (const rows of readDataset(scratch.pool, request)) {
    for (const row of rows.texts()) found.push(row.join('\t'))
    if (found.length >= most) break
  }
  return found
}

const positionOf = (row: string): string => row.slice(row.lastIndexOf('\t') + 1)
const leaderOf = (row: string): string => positionOf(row).split(' ').slice(0, 2).join(' ')

test.each(SNAPSHOTS)('$name: reading goes on behind any row', async (dataset) => {
  const rows = await rowsOf(dataset, {})
  // Between rows of one owner, or jetton, and between others.
  const within = rows.map((row, at) => at > 0 && leaderOf(row) === leaderOf(rows[at - 1]!))
  const [some, others] = [true, false].map((is) =>
    [...within.keys()].filter((at) => at > 0 && within[at] === is).slice(0, 25),
  )
  for (const [n, at] of [...some!, ...others!, rows.length].entries()) {
    // Of long datasets, some to the end.
    const most = isLong || n % 10 === 0 ? rows.length : 250
    const left = await rowsOf(dataset, { after: positionOf(rows[at - 1]!), rowsPerPage: 100 }, most)
    expect(left).toEqual(rows.slice(at, at + Math.max(left.length, Math.min(most, rows.length - at))))
  }
})

test('pages of snapshots read no table as a whole at four billion transactions', async ({ skip }) => {
  const asked = new Map<string, Awaited<ReturnType<typeof pagesOf>>>()
  for (const one of SNAPSHOTS) asked.set(one.name, await pagesOf(scratch, one))
  const { pool } = scratch
  if (!(await believeLarge(pool))) skip('PostgreSQL 18 with its files on this machine is needed')
  const client = await pool.connect()
  try {
    const columns = await indexColumns(client)
    const found = []
    for (const [name, statements] of asked) {
      await client.query('begin')
      const [settings] = statements.filter(({ text }) => text.startsWith('set local'))
      await client.query(settings!.text)
      const pages = statements.flatMap(({ text }) => COPIED.exec(text)?.[1] ?? [])
      const ends = statements.flatMap(({ text }) => (text.includes('offset 1') ? [text] : []))
      for (const text of [pages[1]!, ends[1]!]) {
        const { rows } = await client.query(`explain (format json) ${text}`)
        const scans = wholeScansIn(rows[0]['QUERY PLAN'][0].Plan, columns)
        found.push(...scans.map((scan) => `${name}: ${scan}`))
      }
      await client.query('rollback')
    }
    expect(found).toEqual([])
  } finally {
    client.release()
  }
})
