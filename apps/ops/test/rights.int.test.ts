import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { grantRoles } from '@shardwalk/db'
import { ROLE_PASSWORDS, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readProcessSettings } from '../src/context.ts'
import { checkTables } from '../src/migrate-database.ts'
import { prepareRoles } from '../src/role-urls.ts'
import { withDb } from '../src/with-db.ts'
import { runCommand } from './run-command.ts'

const USER = `visitor_${process.pid}`
let empty: ScratchDatabase
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'shardwalk-rights-'))
  empty = await scratchDatabase({ migrated: false })
  await empty.pool.query(`create role ${USER} login password 'of-visitor'`)
})
afterEach(() => vi.unstubAllEnvs())
afterAll(async () => {
  await empty?.pool.query(`drop owned by ${USER} cascade`)
  await empty?.pool.query(`drop role ${USER}`)
  await empty?.close()
  await rm(dataDir, { recursive: true, force: true })
})

const database = () => new URL(empty.url).pathname.slice(1)

/** The database as this user connects to it. */
function ofVisitor(): string {
  const url = new URL(empty.url)
  url.username = USER
  url.password = 'of-visitor'
  return url.href
}

const withOptions = (url: string, options: string) => `${url}?options=${encodeURIComponent(options)}`

async function migrate(url: string) {
  vi.stubEnv('DATABASE_URL', url)
  return runCommand(['migrate', '--network', 'sample', '--data-dir', dataDir])
}

test('a user lacks a right: the setting, what is missing and what grants it are named', async () => {
  expect(await migrate(ofVisitor())).toEqual({
    code: 1,
    text: 'DATABASE_URL: the user may not create schemas in this database. Grant it CREATE.',
  })
  await empty.pool.query(`grant all privileges on database ${database()} to ${USER}`)
  expect(await migrate(ofVisitor())).toEqual({
    code: 1,
    text:
      `DATABASE_URL: the user ${USER} may not create tables in the schema public. Make it the owner of ` +
      `the database (alter database ${database()} owner to ${USER}), or grant it the schema (grant usage, ` +
      `create on schema public to ${USER}).`,
  })
  expect(await migrate(withOptions(ofVisitor(), '-c search_path=nowhere'))).toEqual({
    code: 1,
    text: expect.stringMatching(/^DATABASE_URL: there is no schema for the tables: search_path is nowhere\./),
  })
})

test('a schema with the name of the user suffices, which nobody else looks in', async () => {
  await empty.pool.query(`create schema authorization ${USER}`)
  expect(await migrate(ofVisitor())).toEqual({ code: 0, text: expect.stringContaining('Migrated: ') })
  const { rows } = await empty.pool.query(`select to_regclass('accounts') as found`)
  expect(rows).toEqual([{ found: null }])
})

test('passwords that an administrator gave to roles are used, and a wrong one is named', async () => {
  const administrator = withOptions(empty.url, `-c search_path=${USER}`)
  await withDb(administrator, ({ pool }) => grantRoles(pool, { create: true, passwords: ROLE_PASSWORDS }))
  vi.stubEnv('DATABASE_WRITER_PASSWORD', ROLE_PASSWORDS.writer)
  vi.stubEnv('DATABASE_READER_PASSWORD', ROLE_PASSWORDS.reader)
  vi.stubEnv('DATABASE_ANALYST_PASSWORD', ROLE_PASSWORDS.analyst)
  expect((await migrate(ofVisitor())).code).toBe(0)
  vi.stubEnv('DATABASE_URL', ofVisitor())
  const { settings } = readProcessSettings()
  const { writer, reader } = await prepareRoles({ url: ofVisitor(), embedded: false }, settings)
  for (const url of [writer, reader]) await checkTables(url)
  const rows = await runCommand(['sql', '-c', 'select count(*) as found from accounts', '--csv-safe'])
  expect(rows).toEqual({ code: 0, text: expect.stringContaining('found') })
  vi.stubEnv('DATABASE_READER_PASSWORD', 'another')
  const refused = await migrate(ofVisitor())
  expect(refused).toEqual({
    code: 1,
    text: expect.stringMatching(
      /^DATABASE_READER_PASSWORD: the server refuses shardwalk_reader: password authentication failed/m,
    ),
  })
})
