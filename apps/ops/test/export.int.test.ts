import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runCommand } from './run-command.ts'

let scratch: ScratchDatabase
let dir: string
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  dir = await mkdtemp(join(tmpdir(), 'shardwalk-export-command-'))
  process.env['DATABASE_URL'] = scratch.url
  // Low, it would remain so for all further tests of this process.
  process.env['EXPORT_PRIORITY'] = 'normal'
})
afterAll(async () => {
  delete process.env['DATABASE_URL']
  delete process.env['EXPORT_PRIORITY']
  await scratch.close()
  await rm(dir, { recursive: true, force: true })
})

const shardwalk = (...argv: string[]) => runCommand([...argv, '--network', 'sample', '--data-dir', dir])

const rates = /, \d+ rows\/s/g

test('partitions by seqno and by day, resumed and verified', async () => {
  const out = join(dir, 'out')
  const command = [
    'export',
    'blocks',
    '--out',
    out,
    '--partition',
    'mc-seqno',
    '--chunk',
    '300',
    '--format',
    'csv',
  ]
  const first = await shardwalk(...command)
  expect([first.code, first.text.replaceAll(rates, '')]).toEqual([
    0,
    'masterchain blocks 1 to 529\nblocks/mc_seqno=0000000000-0000000299: 898 rows\n' +
      'blocks/mc_seqno=0000000300-0000000599: 782 rows',
  ])
  expect((await shardwalk(...command)).text).toContain('0000000299: 898 rows, is there already')
  expect(await shardwalk('export', 'verify', out)).toEqual({
    code: 0,
    text: '2 partitions, all files as their manifests say',
  })
  const file = join(out, 'sample/blocks/mc_seqno=0000000000-0000000299/part-00000.csv')
  await writeFile(file, (await readFile(file, 'utf8')).slice(1))
  expect((await shardwalk('export', 'verify', out)).code).toBe(1)

  const days = join(dir, 'days')
  const ofDay = (...more: string[]) => shardwalk('export', 'blocks,traces', '--out', days, ...more)
  expect((await ofDay('--dry-run')).text).toContain(`${join(days, 'sample/blocks')}: block_date=2026-11-21`)
  expect((await ofDay('--to', '2026-11-21T12:00')).text).toContain('masterchain blocks 1 to 403')
  const manifest = JSON.parse(
    await readFile(join(days, 'sample/blocks/block_date=2026-11-21/_manifest.json'), 'utf8'),
  ) as { complete: boolean }
  expect(manifest.complete).toBe(false)
  // The day goes on: what is there is written again.
  expect((await ofDay()).text).toContain('blocks/block_date=2026-11-21: 1680 rows, ')
})

test('times are in UTC wherever the machine is, unless they name another zone', async () => {
  vi.stubEnv('TZ', 'America/New_York')
  const noon = ['2026-11-21T12:00', '2026-11-21 12:00', '2026-11-21 12:00:00Z', '2026-11-21T15:00+0300']
  for (const to of noon) {
    const { text } = await shardwalk('export', 'blocks', '--out', join(dir, 'none'), '--dry-run', '--to', to)
    expect(text, to).toContain('masterchain blocks 1 to 403\n')
  }
  vi.unstubAllEnvs()
})

test.each([
  [['export'], /give the folder|--out/],
  [['export', 'nothing', '--out', 'x'], /no dataset "nothing"; there are blocks, transactions/],
  [['export', 'blocks', '--out', 'x', '--format', 'xml'], /--format: one of parquet, ndjson, csv, not "xml"/],
  [['export', 'blocks', '--out', 'x', '--columns', 'seqno,size'], /--columns: blocks has no size; it has/],
  [['export', 'blocks', '--out', 'x', '--from', 'monday'], /--from: a seqno \(52000000, 52M\), a date/],
  [['export', 'blocks', '--out', 'x', '--from', '2026-02-30'], /--from: a seqno .* not "2026-02-30"/],
  [['export', 'blocks', '--out', 'x', '--to', '600'], /not indexed: 530-600\. Index them/],
  [['export', 'blocks', '--out', 'x', '--from', '9', '--to', '3'], /--from 9 is after --to 3/],
])('%j is refused', async (argv, message) => {
  const within = argv.map((word) => (word === 'x' ? join(dir, word) : word))
  expect(await shardwalk(...within)).toEqual({ code: 1, text: expect.stringMatching(message) })
})
