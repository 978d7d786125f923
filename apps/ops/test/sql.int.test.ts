import { PassThrough } from 'node:stream'
import { FreeSession } from '@shardwalk/db'
import { startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { promptForStatements } from '../src/sql-prompt.ts'
import { makePreparedDataDir } from './drill.ts'
import { runCommand } from './run-command.ts'
import { cleanUp } from './running-start.ts'

const folders: string[] = []
let dir: string
beforeAll(async () => {
  dir = await makePreparedDataDir(folders)
  expect((await shardwalk('migrate')).code).toBe(0)
})
afterAll(() => cleanUp(folders))

async function shardwalk(...argv: string[]) {
  // Without psql, whose output goes past this process.
  vi.stubEnv('PATH', dir)
  return runCommand([...argv, '--network', 'sample', '--data-dir', dir]).finally(() => vi.unstubAllEnvs())
}

test('sql runs a statement as the analyst, who cannot write', async () => {
  expect(await shardwalk('sql', '-c', 'select current_user as me, null as nothing')).toEqual({
    code: 0,
    text: 'me                | nothing\n------------------+--------\nshardwalk_analyst |\n(1 row)',
  })
  const csv = await shardwalk('sql', '--csv', '-c', "select 1 as a, 'x,\"y' as b, '' as c, null as d")
  expect(csv).toEqual({ code: 0, text: 'a,b,c,d\n1,"x,""y","",' })
  const refused = await shardwalk('sql', '-c', 'delete from blocks')
  expect([refused.code, refused.text]).toEqual([1, expect.stringMatching(/permission denied|read-only/)])
})

test('database-url is the same at every start, and opens the database as the role', async () => {
  const { text: url } = await shardwalk('database-url')
  expect((await shardwalk('database-url', '--role', 'analyst')).text).toBe(url)
  expect(new URL(url).username).toBe('shardwalk_analyst')
  expect(new URL((await shardwalk('database-url', '--role', 'owner')).text).username).toBe('shardwalk')
  expect((await shardwalk('database-url', '--role', 'boss')).text).toBe(
    '--role: one of writer, reader, analyst, owner, not "boss"',
  )
  expect(Number(new URL(url).port)).toBeGreaterThan(1023)
})

test('the prompt goes on after an error, and reports it in the end', async () => {
  const server = await startEmbeddedPostgres({ dataDir: dir })
  const input = new PassThrough()
  const printed: string[] = []
  const session = await FreeSession.open(server.url)
  try {
    input.end('select 1\n  as one;\nselect nonsense;\nselect 2 as two;\n\\q\nselect 3;\n')
    const to = { csv: true, print: (text: string) => void printed.push(text) }
    expect(await promptForStatements(session, { input, output: new PassThrough() }, to)).toBe(false)
    expect(printed).toEqual(['one\n1', 'ERROR: column "nonsense" does not exist', 'two\n2'])
    await expect(session.run('create table mine (i int)')).rejects.toThrow('read-only')
  } finally {
    await session.close()
    await server.stop()
  }
})

test('without a password for the role, database-url says how to set one', async () => {
  const server = await startEmbeddedPostgres({ dataDir: dir })
  process.env['DATABASE_URL'] = server.url.replace(/\/shardwalk$/, '/shardwalk_sample')
  try {
    const { code, text } = await shardwalk('database-url')
    expect([code, text]).toEqual([1, expect.stringContaining('Set DATABASE_ANALYST_PASSWORD and run')])
  } finally {
    delete process.env['DATABASE_URL']
    await server.stop()
  }
})
