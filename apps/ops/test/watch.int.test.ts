import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listIndexedRanges, readWatchState, subjectText } from '@shardwalk/db'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'
import { Recording, RecordingSource, record } from '@shardwalk/sources'
import { endWithTests, FIXTURE_CHAIN_FOLDER, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { commitGroups, inGroups, recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { COMPILED_ROOT, isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { waitUntil } from './processes.ts'
import { runCommand } from './run-command.ts'

/** Of the sample: some traces of contracts. */
const LAST = isLong ? 60 : 24

let folder: string
/** Common to all commands. */
let place: readonly string[]
let all: ScratchDatabase
let scratch: ScratchDatabase

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-watch-'))
  const network = join(folder, 'network')
  place = ['--network', network, '--data-dir', join(folder, 'data')]
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  await record({ source: new RecordingSource(recording), folder: network, from: 1, to: LAST })
  await recording.close()
  all = await scratchDatabase()
  await commitGroups(all, inGroups(await recordedBatches({ to: LAST }), 40))
  scratch = await scratchDatabase({ max: 12 })
  vi.stubEnv('DATABASE_URL', scratch.url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await all?.close()
  await scratch?.close()
  await rm(folder, { recursive: true, force: true })
})

test('`backfill` beside a running ingest fills in what was added to WATCH', async () => {
  const [first, second] = await twoAccounts()
  await whileIngesting([first], async () => {
    await waitUntil('all blocks are indexed and decided', isDone, WAIT)
  })
  expect(await lacking(second)).not.toEqual([])
  expect(await lacking(first)).toEqual([])

  await whileIngesting([first, second], async () => {
    const isKnown = async () => (await readWatchState(scratch.db)).partial.length > 0
    await waitUntil('the change of WATCH is in force', isKnown, WAIT)
    // The newest block is indexed when ingest starts, so it may be complete already.
    const lacks = `1-(${LAST - 1}|${LAST}) `
    const { text: status } = await shardwalk('status')
    expect(status).toMatch(new RegExp(`${subjectOf(second)} lacks ${lacks}`))
    expect(status).not.toContain(`${subjectOf(first)} lacks`)
    const { code, text } = await shardwalk('backfill', '1', String(LAST))
    const lines = text.split('\n')
    expect(lines[0]).toMatch(/^[1-9]\d* masterchain blocks missing$/)
    expect([code, lines.at(-1)]).toEqual([0, '0 masterchain blocks missing'])
    await waitUntil('all traces are decided', isDone, WAIT)
  })
  expect(await lacking(second)).toEqual([])
  expect(await lacking(first)).toEqual([])
  expect((await hashes(scratch, 'true')).length).toBeLessThan((await hashes(all, 'true')).length)
  expect(await readWatchState(scratch.db)).toMatchObject({ partial: [], undecided: 0 })
})

const WAIT = { everyMs: 200 }

const subjectOf = (address: RawAddress): string => subjectText({ kind: 'address', address })

async function isDone(): Promise<boolean> {
  const ranges = await listIndexedRanges(scratch.db)
  const { undecided } = await readWatchState(scratch.db)
  return undecided === 0 && ranges.length === 1 && ranges[0]!.from === 1 && ranges[0]!.to === LAST
}

/** Accounts with some transactions and no trace in common, all of their traces complete. */
async function twoAccounts(): Promise<readonly [RawAddress, RawAddress]> {
  const { rows } = await all.pool.query<RawAddress & { traces: readonly bigint[] }>(
    `select a.workchain, a.address as hash, array_agg(distinct root_of_piece(t.piece)) as traces
     from accounts a join transactions t on t.account_id = a.id where a.workchain = 0
     group by a.id having count(*) between 3 and 20
       and array_agg(distinct root_of_piece(t.piece)) <@ array(select piece from traces where state = 0)
     order by a.id`,
  )
  const [first] = rows
  const second = rows.find(({ traces }) => !traces.some((one) => first!.traces.includes(one)))
  return [first!, second!]
}

async function hashes({ pool }: ScratchDatabase, condition: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ hash: string }>(
    `select encode(hash, 'hex') as hash from transactions where ${condition} order by 1`,
  )
  return rows.map((row) => row.hash)
}

/** Transactions of the account's traces that are not there. */
async function lacking({ workchain, hash }: RawAddress): Promise<readonly string[]> {
  const wanted = await hashes(
    all,
    `root_of_piece(piece) in (
       select root_of_piece(t.piece) from transactions t join accounts a on a.id = t.account_id
       where a.workchain = ${workchain} and a.address = '\\x${hash.toString('hex')}')`,
  )
  expect(wanted.length).toBeGreaterThan(2)
  const stored = new Set(await hashes(scratch, 'true'))
  return wanted.filter((one) => !stored.has(one))
}

/** Runs `shardwalk ingest` in a process of its own. */
async function whileIngesting(watch: readonly RawAddress[], work: () => Promise<void>): Promise<void> {
  const flags = [...place, '--watch', watch.map(formatRawAddress).join()]
  const child = spawn(process.execPath, ['scripts/shardwalk.mjs', 'ingest', ...flags], {
    cwd: COMPILED_ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  endWithTests(child)
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  try {
    await work()
  } finally {
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  }
}

const shardwalk = (...argv: readonly string[]) => runCommand([...argv, ...place])
