import { createDb, FreeSession, migrate } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

let scratch: ScratchDatabase

/** Defaults that an administrator may give to a database or a role. */
const UNUSUAL = {
  default_transaction_isolation: 'serializable',
  datestyle: 'German',
  lock_timeout: '1s',
  statement_timeout: '1s',
  idle_session_timeout: '1s',
  transaction_timeout: '1s',
  standard_conforming_strings: 'off',
  bytea_output: 'escape',
}
const NAMES = [...Object.keys(UNUSUAL), 'transaction_isolation', 'work_mem']

beforeAll(async () => {
  scratch = await scratchDatabase({ migrated: false })
  const name = new URL(scratch.url).pathname.slice(1)
  for (const [setting, value] of Object.entries(UNUSUAL))
    await scratch.pool.query(`alter database "${name}" set ${setting} = '${value}'`)
})
afterAll(() => scratch?.close())

const withOptions = (options: string): string => {
  const url = new URL(scratch.url)
  url.searchParams.set('options', options)
  return url.toString()
}

async function settingsOf(url: string, statementTimeoutMs?: number): Promise<Record<string, string>> {
  const { pool, close } = createDb({
    url,
    max: 1,
    ...(statementTimeoutMs !== undefined && { statementTimeoutMs }),
  })
  try {
    const { rows } = await pool.query<{ name: string; value: string }>(
      `select name, current_setting(name) as value
       from unnest($1::text[]) as name`,
      [NAMES],
    )
    const now = await pool.query<{ now: unknown }>('select now() as now')
    expect(now.rows[0]!.now).toBeInstanceOf(Date)
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  } finally {
    await close()
  }
}

test('statements run as they rely on, whatever the defaults of the server', async () => {
  const asReliedOn = {
    transaction_isolation: 'read committed',
    datestyle: expect.stringMatching(/^ISO/),
    lock_timeout: '0',
    idle_session_timeout: '0',
    standard_conforming_strings: 'on',
    bytea_output: 'hex',
  }
  expect(await settingsOf(scratch.url)).toMatchObject({ ...asReliedOn, statement_timeout: '1min' })
  const without = { statement_timeout: '0', transaction_timeout: '0' }
  expect(await settingsOf(scratch.url, 0)).toMatchObject({ ...asReliedOn, ...without })
})

test('a database with these defaults is migrated', async () => {
  const { db, close } = createDb({ url: scratch.url, max: 2, statementTimeoutMs: 0 })
  try {
    expect((await migrate(db)).length).toBeGreaterThan(10)
  } finally {
    await close()
  }
})

test('options of the URL are kept where nothing relies on something else', async () => {
  const url = withOptions('-c work_mem=1234kB -c lock_timeout=2s')
  expect(await settingsOf(url, 0)).toMatchObject({ work_mem: '1234kB', lock_timeout: '0' })
})

test('so are those of PGOPTIONS, where the URL has none', async () => {
  const before = process.env['PGOPTIONS']
  process.env['PGOPTIONS'] = '-c work_mem=1234kB -c lock_timeout=2s'
  try {
    expect(await settingsOf(scratch.url)).toMatchObject({ work_mem: '1234kB', lock_timeout: '0' })
    const url = withOptions('-c work_mem=2345kB')
    expect(await settingsOf(url)).toMatchObject({ work_mem: '2345kB' })
  } finally {
    if (before === undefined) delete process.env['PGOPTIONS']
    else process.env['PGOPTIONS'] = before
  }
})

test('what a person runs reads only, also where the URL has options', async () => {
  const session = await FreeSession.open(withOptions('-c work_mem=1234kB'))
  try {
    expect((await session.run('show work_mem')).rows).toEqual([['1234kB']])
    await expect(session.run('create table t (a int)')).rejects.toThrow('read-only transaction')
  } finally {
    await session.close()
  }
})
