import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BatchSink,
  createDb,
  DATASETS,
  type DatabaseHandle,
  enqueueForClassifier,
  grantRoles,
} from '@shardwalk/db'
import {
  ROLE_PASSWORDS,
  randomFrom,
  type ScratchDatabase,
  scratchDatabase,
  shuffled,
  urlOfRole,
} from '@shardwalk/testkit'
import {
  classifiedChain,
  classifyAll,
  commitGroups,
  inGroups,
  RecordedNetwork,
  recordedBatches,
  refreshAll,
} from '@shardwalk/testkit/refresh-chain'
import { isLong, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { PartitionOptions } from '../src/export-partition.ts'
import { exportPartition, readManifest } from '../src/index.ts'
import { datasetOf, requestOf } from './requests.ts'

/** Files of the recorded chain depend on the chain alone. */

const LAST = 529
let scratch: ScratchDatabase
let folder: string
beforeAll(async () => {
  scratch = await classifiedChain()
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-identity-'))
})
afterAll(async () => {
  await scratch?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const request = (name: string, to = LAST, more: Partial<PartitionOptions> = {}): PartitionOptions =>
  requestOf(name, {
    ...{ folder: join(folder, name), format: 'parquet', force: true },
    ...(datasetOf(name).kind === 'range' && { range: { from: 1, to } }),
    ...more,
  })

const sha256 = async (path: string) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

/** SHA-256 of each dataset as Parquet, and of its manifest. */
async function hashesOf(
  handle: Pick<DatabaseHandle, 'pool' | 'db'>,
  to = LAST,
): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {}
  for (const { name } of DATASETS) {
    const options = request(name, to)
    const { manifest } = await exportPartition(handle, options)
    hashes[name] = manifest.parts.map((part) => part.sha256).join()
    hashes[`${name}/_manifest.json`] = await sha256(join(options.folder, '_manifest.json'))
  }
  return hashes
}

const GOLDEN = 'golden-hashes.json'
const asJson = (hashes: Record<string, string>) => `${JSON.stringify(hashes, null, 2)}\n`

test('files have the hashes on record; others need a higher format version', async () => {
  const hashes = await hashesOf(scratch)
  expect(Object.keys(hashes)).toHaveLength(2 * DATASETS.length)
  await expect(asJson(hashes)).toMatchFileSnapshot(GOLDEN)
})

const golden = async () =>
  JSON.parse(await readFile(new URL(GOLDEN, import.meta.url), 'utf8')) as Record<string, string>

test('the role that reads may export everything', async () => {
  await grantRoles(scratch.pool, { create: true, passwords: ROLE_PASSWORDS, isOwnServer: true })
  const reader = createDb({ url: urlOfRole(scratch.url, 'reader'), max: 3 })
  try {
    await expect(reader.pool.query('delete from blocks')).rejects.toMatchObject({ code: '42501' })
    const to = isLong ? 60 : 20
    expect(await hashesOf(reader, to)).toEqual(await hashesOf(scratch, to))
  } finally {
    await reader.close()
  }
})

test('a database that goes away breaks the export off; the next run makes the same bytes', async () => {
  const options = request('messages', LAST, { folder: join(folder, 'broken'), force: false })
  const broken = exportPartition(scratch, options)
  broken.catch(() => {})
  await vi.waitFor(
    async () => {
      const { rowCount } = await scratch.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and query ilike 'copy (%' and state = 'active'`,
      )
      expect(rowCount).toBe(1)
    },
    { interval: 1, timeout: 30_000 },
  )
  await expect(broken).rejects.toThrow()
  expect(await readManifest(options.folder)).toBeUndefined()
  const { manifest } = await exportPartition(scratch, options)
  expect(manifest.parts[0]!.sha256).toBe((await golden())['messages'])
})

/** Of all blocks, or of the first ones. */
const ANOTHER = isLong ? { last: LAST, file: GOLDEN } : { last: 40, file: 'golden-hashes-beginning.json' }

test('an index in another order, repaired and classified again, makes the same bytes', async () => {
  const { last, file } = ANOTHER
  const other = await scratchDatabase()
  const network = await RecordedNetwork.open()
  try {
    const random = randomFrom(testSeed())
    const batches = await recordedBatches({ to: last })
    await commitGroups(other, shuffled(inGroups(batches, 23), random))
    const refresher = network.refresher(other)
    await refreshAll(refresher)
    await classifyAll(other)
    const from = 1 + Math.floor(random() * 0.75 * last)
    const to = Math.min(from + (isLong ? 60 : 20), last)
    const again = batches.filter(({ mcBlockSeqno }) => mcBlockSeqno >= from && mcBlockSeqno <= to)
    await new BatchSink(other.pool).repairRange({ from, to }, again)
    await refreshAll(refresher)
    await classifyAll(other)
    const half = { from: Math.floor(last / 4), to: Math.floor(last / 2) }
    expect(await enqueueForClassifier(other.pool, half)).toBeGreaterThan(0)
    await classifyAll(other)
    await refresher.close()
    await expect(asJson(await hashesOf(other, last))).toMatchFileSnapshot(file)
  } finally {
    await network.close()
    await other.close()
  }
})
