import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDb, tableChecksums } from '@shardwalk/db'
import { Recording, RecordingSource } from '@shardwalk/sources'
import {
  copyPrimary,
  FIXTURE_CHAIN_FOLDER,
  openSlowLink,
  type ScratchDatabase,
  startPrimary,
  startStandby,
} from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { expect, test, vi } from 'vitest'
import { checksumsOf, endingAt, runIngest } from './run-ingest.ts'

const RANGE = isLong ? { from: 1, to: 120 } : { from: 100, to: 160 }
const PATIENCE = { timeout: 120_000, interval: 20 }
/** Blocks that the standby has when it is cut off, and that it then lacks when it is promoted, at least. */
const BEFORE = 10
const LOST = 5

const openDatabase = ({ url }: { readonly url: string }): ScratchDatabase => {
  const handle = createDb({ url, max: 16 })
  return { ...handle, url, close: () => handle.close() }
}

async function indexedIn({ pool }: ScratchDatabase): Promise<number> {
  const { rows } = await pool.query<{ blocks: number }>(
    'select coalesce(sum(to_seqno - from_seqno + 1), 0)::int as blocks from indexed_ranges',
  )
  return rows[0]!.blocks
}

/** Two processes, one from either end. */
const runTwo = (recording: Recording, scratch: ScratchDatabase) =>
  Promise.all(
    (['oldest-first', 'newest-first'] as const).map((order) =>
      runIngest({
        ...{ source: endingAt(new RecordingSource(recording), RANGE.to), scratch, range: RANGE },
        options: { order },
      }),
    ),
  )

test('two ingest processes index what a promoted standby lacks, with equal tables at the end', async () => {
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-promoted-'))
  const closers: (() => unknown)[] = [
    () => rm(folder, { recursive: true, force: true }),
    () => recording.close(),
  ]
  try {
    await chmod(folder, 0o755)
    const expected = await checksumsOf({
      source: endingAt(new RecordingSource(recording), RANGE.to),
      range: RANGE,
    })
    const primary = await startPrimary(join(folder, 'primary'))
    closers.push(() => primary.stop().catch(() => {}))
    const old = openDatabase(primary)
    closers.push(() => old.close())
    await copyPrimary(primary, join(folder, 'primary'), join(folder, 'standby'))
    const link = await openSlowLink({
      host: '127.0.0.1',
      port: Number(new URL(primary.url).port),
      roundTripMs: 0,
    })
    closers.push(() => link.close())
    const url = new URL(primary.url)
    url.port = String(link.port)
    const standby = await startStandby({ ...primary, url: url.href }, join(folder, 'standby'))
    closers.push(() => standby.stop())
    const next = openDatabase(standby)
    closers.push(() => next.close())

    const interrupted = runTwo(recording, old).catch((reason: unknown) => reason)
    await vi.waitUntil(async () => (await indexedIn(next)) >= BEFORE, PATIENCE)
    link.close()
    await vi.waitUntil(async () => (await indexedIn(old)) >= (await indexedIn(next)) + LOST, PATIENCE)
    const committed = await indexedIn(old)
    process.kill(primary.pid, 'SIGKILL')
    expect(await interrupted).toBeInstanceOf(Error)
    await next.pool.query('select pg_promote()')
    const kept = await indexedIn(next)
    console.log(`${committed} blocks were indexed, ${kept} in the standby when it was promoted`)
    expect(kept).toBeLessThanOrEqual(committed - LOST)
    expect(committed).toBeLessThan(RANGE.to - RANGE.from + 1)

    await runTwo(recording, next)
    expect(Object.fromEntries(await tableChecksums(next.db))).toEqual(expected)
  } finally {
    for (const close of closers.reverse()) await close()
  }
})
