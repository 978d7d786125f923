import { cpSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATASETS, type SnapshotReading } from '@shardwalk/db'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PartitionOptions } from '../src/export-partition.ts'
import { exportPartition, readManifest } from '../src/index.ts'
import { writeManifest } from '../src/manifest.ts'
import { requestOf } from './requests.ts'

/** Exports of the newest state, which are read in pages. */

let scratch: ScratchDatabase
let folder: string
beforeAll(async () => {
  scratch = await classifiedChain()
  folder = await mkdtemp(join(tmpdir(), 'shardwalk-snapshot-'))
})
afterAll(async () => {
  await scratch?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

const SNAPSHOTS = DATASETS.filter(({ kind }) => kind === 'snapshot').map(({ name }) => name)
const LAST = 529
/** Masterchain blocks that the manifest names if rows are of several moments. */
const OF_SEVERAL = { snapshot_mc_seqnos: [LAST, LAST] }

/** In files of a third of the rows at most: one ends within a page. */
const ROWS: Readonly<Record<string, number>> = {
  ...{ accounts: 143, latest_balances: 151, jetton_metadata: 2, nft_items: 4, nft_metadata: 4 },
  ...{ dns_records: 2, jetton_holders: 13 },
}

const request = (name: string, place: string, more: Partial<PartitionOptions> = {}): PartitionOptions =>
  requestOf(name, {
    ...{ folder: join(folder, place, name), format: 'csv', maxRowsPerFile: ROWS[name]!, ...more },
  })

const inPages = (rowsPerPage: number, more: SnapshotReading = {}) => ({ reading: { rowsPerPage, ...more } })

/** Unless tests are long, datasets of thousands of rows are not read in pages of one or two. */
const hasShortPages = (rows: number) => isLong || rows < 300

const rowsIn = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8')).split('\n').slice(1, -1)

describe.each(SNAPSHOTS)('%s', (name) => {
  test('pages of any length are together what one statement reads', async () => {
    const { manifest: whole } = await exportPartition(scratch, request(name, 'whole'))
    expect(whole.parts.length).toBeGreaterThan(1)
    const isShort = hasShortPages(whole.rows)
    for (const rows of isShort ? [1, 3, 50] : [17, 50]) {
      const { manifest } = await exportPartition(scratch, request(name, `by-${rows}`, inPages(rows)))
      expect(manifest).toEqual(whole)
    }
    const moments = inPages(isShort ? 2 : 17, { momentMs: 0 })
    const { manifest } = await exportPartition(scratch, request(name, 'moments', moments))
    expect(manifest).toEqual({ ...whole, ...OF_SEVERAL })
  })

  test('what is killed is continued after its last complete file, to the same bytes', async () => {
    const { manifest: whole } = await exportPartition(scratch, request(name, 'whole'))
    const killed: string[] = []
    const rowsPerPage = hasShortPages(whole.rows) ? 3 : 17
    const options = request(name, 'running', inPages(rowsPerPage))
    const every = Math.max(1, Math.floor(whole.rows / rowsPerPage / 8))
    let pages = 0
    const onRows = () => {
      if (pages++ % every > 0) return
      const copy = join(folder, `killed-${killed.length}`, name)
      cpSync(options.folder, copy, { recursive: true })
      killed.push(copy)
    }
    await exportPartition(scratch, { ...options, onRows })
    const found = new Set<number>()
    for (const copy of killed) {
      const present = (await readdir(copy)).filter((file) => file.startsWith('part-')).length
      let continued = 0
      let read = 0
      const { manifest } = await exportPartition(scratch, {
        ...options,
        folder: copy,
        onContinue: (rows) => {
          continued = rows
        },
        onRows: (rows) => {
          read += rows
        },
      })
      expect(manifest).toEqual({ ...whole, ...(present > 0 && OF_SEVERAL) })
      expect([continued, read]).toEqual([present * ROWS[name]!, whole.rows - present * ROWS[name]!])
      expect((await readdir(copy)).sort()).toEqual(['_manifest.json', ...whole.parts.map(({ file }) => file)])
      found.add(present)
    }
    expect(found.size).toBeGreaterThan(1)
  })
})

/** A folder as a kill leaves it after the first file. */
async function killedAfterOne(place: string): Promise<PartitionOptions> {
  const options = request('accounts', place, inPages(50))
  const isOne = async () => (await readdir(options.folder)).includes('part-00000.csv')
  const turn = async () => {
    if (await isOne()) cpSync(options.folder, `${options.folder}-killed`, { recursive: true })
  }
  await exportPartition(scratch, { ...options, turn })
  return { ...options, folder: `${options.folder}-killed` }
}

test.each<[string, Partial<PartitionOptions>]>([
  ['other columns', { columns: ['address'] }],
  ['another format', { format: 'ndjson' }],
  ['a checksum of all rows', { contentChecksum: true }],
  ['--force', { force: true }],
])('%s: nothing is continued', async (what, more) => {
  const options = { ...(await killedAfterOne(what.replaceAll(' ', '-'))), ...more }
  let read = 0
  const onRows = (rows: number) => {
    read += rows
  }
  const { manifest } = await exportPartition(scratch, { ...options, onRows })
  expect(read).toBe(manifest.rows)
})

test('a newer snapshot replaces the one that is there, but no other export without --force', async () => {
  const options = request('accounts', 'again')
  const { manifest } = await exportPartition(scratch, options)
  const other = exportPartition(scratch, { ...options, format: 'ndjson', columns: ['address'] })
  await expect(other).rejects.toThrow('other format, columns; choose another folder, or --force')
  expect(await readManifest(options.folder)).toEqual(manifest)
  // All of its files are written again, whichever version wrote them.
  await writeManifest(options.folder, { ...manifest, format_version: manifest.format_version - 1 })
  expect(await exportPartition(scratch, options)).toEqual({ manifest, written: true })
  const forced = await exportPartition(scratch, { ...options, columns: ['address'], force: true })
  expect(forced.manifest.columns).toEqual(['address'])
})

test('files that are damaged, or more than a day old, are written again', async () => {
  const { manifest: whole } = await exportPartition(scratch, request('accounts', 'whole'))
  const damaged = await killedAfterOne('damaged')
  const file = join(damaged.folder, 'part-00000.csv')
  const text = await readFile(file, 'utf8')
  await writeFile(file, text.replace('a', 'b'))
  expect((await exportPartition(scratch, damaged)).manifest).toEqual(whole)
  const old = await killedAfterOne('old')
  const before = Date.now() / 1000 - 90_000
  await utimes(join(old.folder, '.unfinished.json'), before, before)
  expect((await exportPartition(scratch, old)).manifest).toEqual(whole)
})

test('a database that goes away leaves complete files, with which the next run continues', async () => {
  const options = request('accounts', 'away', inPages(50))
  let read = 0
  const onRows = async (rows: number) => {
    read += rows
    if (read > 200)
      await scratch.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
  }
  const turn = () => onRows(50)
  await expect(exportPartition(scratch, { ...options, turn })).rejects.toThrow()
  expect((await readdir(options.folder)).sort()).toEqual(['.unfinished.json', 'part-00000.csv'])
  const { manifest } = await exportPartition(scratch, options)
  const { manifest: whole } = await exportPartition(scratch, request('accounts', 'whole'))
  expect(manifest).toEqual({ ...whole, ...OF_SEVERAL })
})

test('rows of one moment do not show what is written meanwhile, those of several do, each once', async () => {
  const columns = ['address', 'balance']
  const { pool } = scratch
  const { rows: before } = await pool.query('select count(*)::int as n from latest_account_states')
  const given = async (place: string, momentMs?: number) => {
    const more = { columns, maxRowsPerFile: 1_000_000, ...inPages(50, { momentMs }) }
    const options = request('accounts', place, more)
    const turn = async () => {
      await pool.query('update latest_account_states set balance = balance + 1')
    }
    const { manifest } = await exportPartition(scratch, { ...options, turn })
    const rows = (await rowsIn(join(options.folder, 'part-00000.csv'))).map((line) => line.split(','))
    expect(new Set(rows.map(([address]) => address)).size).toBe(before[0].n)
    return { manifest, rows }
  }
  const { rows: stored } = await pool.query<{ address: string; balance: bigint }>(
    `select analytics.address_text(a.workchain, a.address) as address, s.balance
     from latest_account_states s join accounts a on a.id = s.account_id`,
  )
  const was = new Map(stored.map(({ address, balance }) => [address, balance]))
  const changes = (rows: string[][]) =>
    new Set(rows.map(([address, balance]) => Number(BigInt(balance!) - was.get(address!)!)))
  const one = await given('one-moment')
  expect(one.manifest).not.toHaveProperty('snapshot_mc_seqnos')
  expect([...changes(one.rows)]).toEqual([1])
  const several = await given('several-moments', 0)
  expect(several.manifest).toMatchObject(OF_SEVERAL)
  expect(changes(several.rows).size).toBeGreaterThan(3)
})
