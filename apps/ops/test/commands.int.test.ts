import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OwnerLock } from '@shardwalk/concurrency'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startPoint } from '../src/chain-access.ts'
import { openContext, readProcessSettings } from '../src/context.ts'
import { runCommand } from './run-command.ts'

let dir: string
let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
  dir = await mkdtemp(join(tmpdir(), 'shardwalk-commands-'))
})
afterAll(async () => {
  await scratch.close()
  await rm(dir, { recursive: true, force: true })
})

const shardwalk = (...argv: string[]) => runCommand(argv)

test.each([
  [['start', 'sample'], 'start takes no arguments, got "sample"; did you mean --network sample?'],
  [['status', 'all'], 'status takes no arguments, got "all"'],
  [['indx'], "unknown command 'indx'"],
  [['stauts'], "unknown command 'stauts' (did you mean status?)"],
  [['database-url', 'x'], 'database-url takes no arguments, got "x"'],
  [['verify', '5', '3'], 'give a range of masterchain seqnos: <from> <to>, both included'],
  [['verify', '1', '2', '3'], 'give a range of masterchain seqnos: <from> <to>, both included'],
  [['record', '1', '2'], 'give a range and a folder: record <from> <to> <folder>'],
  [['record', '1', '2', 'x', 'y'], 'give a range and a folder: record <from> <to> <folder>'],
])('unusable arguments are refused with exit code 1: %j', async (argv, message) => {
  expect(await shardwalk(...argv, '--network', 'sample', '--data-dir', dir)).toEqual({
    code: 1,
    text: message,
  })
})

test('files of settings that a process could not use end start and metadata at once', async () => {
  const file = join(dir, 'broken.json')
  await writeFile(file, '{')
  const metadata = ['--metadata-fetch', 'on', '--metadata-overrides', file, '--data-dir', dir]
  const names = ['--network', 'sample', '--marketplace-names', join(dir, 'none')]
  const wrongFile = expect.stringMatching(/METADATA_OVERRIDES: .*broken\.json: .*JSON/)
  expect(await shardwalk('metadata', ...metadata)).toEqual({ code: 1, text: wrongFile })
  const { code, text } = await shardwalk('start', ...metadata, ...names)
  expect([code, text]).toEqual([1, wrongFile])
  expect(text).toMatch(/MARKETPLACE_NAMES: .*none: ENOENT/)
  expect(existsSync(join(dir, 'postgres'))).toBe(false)
})

test.runIf(process.platform === 'linux')(
  'a data folder that cannot be created is reported at once',
  async () => {
    const { code, text } = await shardwalk('migrate', '--network', 'sample', '--data-dir', '/proc/none')
    expect([code, text]).toEqual([1, expect.stringContaining('DATA_DIR /proc/none is not writable: ENOENT')])
  },
)

test.each([
  ['status'],
  ['trace', '0'.repeat(64)],
  ['verify', '1', '2'],
  ['keys', 'list'],
  ['keys', 'revoke', '1'],
  ['compact'],
  ['archive', '1', '2', '--back'],
  ['reclassify', '1', '2'],
  ['repair', '1', '2'],
])('%s %s creates nothing in an empty place', async (...argv) => {
  const nowhere = join(dir, 'nowhere')
  const { code, text } = await shardwalk(...argv, '--network', 'sample', '--data-dir', nowhere)
  expect([code, text]).toEqual([1, expect.stringContaining(`There is nothing of sample in ${nowhere}.`)])
  expect(existsSync(nowhere)).toBe(false)
})

test('record creates no data folder', async () => {
  const [nowhere, folder] = [join(dir, 'nowhere'), join(dir, 'short')]
  const recorded = await shardwalk('record', '3', '3', folder, '--network', 'sample', '--data-dir', nowhere)
  expect(recorded.code).toBe(0)
  expect(existsSync(nowhere)).toBe(false)
})

test.each([
  ...[['status'], ['verify', '1', '2'], ['keys', 'list'], ['compact'], ['archive']],
  ...[
    ['archive', '1', '2', '--back'],
    ['reclassify', '1', '2'],
    ['repair', '1', '2'],
  ],
])('%s of a database without tables does not create them', async (...argv) => {
  const empty = await scratchDatabase({ migrated: false })
  vi.stubEnv('DATABASE_URL', empty.url)
  try {
    const nowhere = join(dir, 'nowhere')
    const { code, text } = await shardwalk(...argv, '--network', 'sample', '--data-dir', nowhere)
    expect([code, text]).toEqual([75, expect.stringContaining('run "shardwalk migrate"')])
    const { rows } = await empty.pool.query('select 1 from pg_tables where schemaname = $1', ['public'])
    expect(rows).toEqual([])
  } finally {
    vi.unstubAllEnvs()
    await empty.close()
  }
})

test('status creates no queue in the database of an index whose queue is in Redis', async () => {
  const indexed = await scratchDatabase()
  vi.stubEnv('DATABASE_URL', indexed.url)
  try {
    await indexed.pool.query(
      `insert into network (id, root_hash, file_hash) values (1, sha256('root'), sha256('file'))`,
    )
    const { code } = await shardwalk('status', '--network', 'sample', '--data-dir', dir, '--json')
    expect(code).toBe(0)
    const { rows } = await indexed.pool.query(
      `select from pg_class where relnamespace = to_regnamespace('shardwalk_queue')`,
    )
    expect(rows).toEqual([])
  } finally {
    vi.unstubAllEnvs()
    await indexed.close()
  }
})

test('the version is that of the repository', async () => {
  const { code, text } = await shardwalk('--version')
  expect([code, text]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+$/)])
})

test('a second start of a network in one data folder is refused', async () => {
  await mkdir(join(dir, 'networks'), { recursive: true })
  const first = await OwnerLock.acquire(join(dir, 'networks', 'sample.owner'))
  const second = await shardwalk('start', '--network', 'sample', '--data-dir', dir, '--api-port', '0')
  await first!.release()
  expect(second.code).toBe(1)
  expect(second.text).toContain(`Shardwalk runs on sample in ${dir} already.`)
})

test('a recorded chain is read without a running start; a missing block gives exit code 75', async () => {
  const folder = join(dir, 'copy')
  const copied = await shardwalk('record', '3', '5', folder, '--network', 'sample', '--data-dir', dir)
  expect([copied.code, copied.text.split('\n').at(-1)]).toEqual([
    0,
    expect.stringContaining(`${folder} holds masterchain blocks 3 to 5`),
  ])
  expect(existsSync(join(folder, 'index.json'))).toBe(true)
  const settings = readProcessSettings(new Map([['network', folder]]), {}).settings
  const context = openContext({ ...settings, dataDir: dir }, [], { networkGiven: true, creates: true })
  expect(await startPoint(context)).toBe(4)
  expect(await startPoint({ ...context, settings: { ...context.settings, indexFrom: 3 } })).toBe(3)
  const beyond = await shardwalk(
    'record',
    '600',
    '601',
    join(dir, 'none'),
    '--network',
    'sample',
    '--data-dir',
    dir,
  )
  expect([beyond.code, beyond.text]).toEqual([
    75,
    expect.stringContaining('last known masterchain block: 529'),
  ])
})

test.each([
  [
    'a database that does not answer',
    75,
    () => 'postgres://u:topsecret@127.0.0.1:1/x',
    'DATABASE_URL: 127.0.0.1:1 cannot be reached: ',
  ],
  [
    'a wrong password',
    1,
    () => withPassword('topsecret'),
    'password authentication failed for user "shardwalk". Correct user and password.',
  ],
])(
  '%s ends a command with exit code %i and shows the setting, not the password',
  async (_what, code, url, message) => {
    vi.stubEnv('DATABASE_URL', url())
    try {
      const flags = ['--network', 'sample', '--data-dir', dir, '--database-wait-seconds', '0']
      for (const command of ['migrate', 'status']) {
        const ended = await shardwalk(command, ...flags)
        expect(ended).toEqual({ code, text: expect.stringContaining(message) })
        expect(ended.text).toMatch(/^DATABASE_URL: /)
        expect(ended.text).not.toContain('topsecret')
      }
    } finally {
      vi.unstubAllEnvs()
    }
  },
)

function withPassword(password: string): string {
  const url = new URL(scratch.url)
  url.password = password
  return url.toString()
}
