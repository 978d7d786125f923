import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { grantRoles } from '@shardwalk/db'
import { ROLE_PASSWORDS, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
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
function ofVisitor(options?: string): string {
  const url = new URL(empty.url)
  url.username = USER
  url.password = 'of-visitor'
  if (options !== undefined) url.searchParams.set('options', options)
  return url.href
}

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
  expect(await migrate(ofVisitor('-c search_path=nowhere'))).toEqual({
    code: 1,
    text: expect.stringMatching(/^DATABASE_URL: there is no schema for the tables: search_path is nowhere\./),
  })
})

test('what the message says suffices', async () => {
  await empty.pool.query(`grant usage, create on schema public to ${USER}`)
  expect(await migrate(ofVisitor())).toEqual({ code: 0, text: expect.stringContaining('Migrated: ') })
})

test('passwords that an administrator gave to roles are used, and a wrong one is named', async () => {
  await grantRoles(empty.pool, { create: true, passwords: ROLE_PASSWORDS })
  vi.stubEnv('DATABASE_WRITER_PASSWORD', ROLE_PASSWORDS.writer)
  vi.stubEnv('DATABASE_READER_PASSWORD', ROLE_PASSWORDS.reader)
  expect((await migrate(ofVisitor())).code).toBe(0)
  vi.stubEnv('DATABASE_READER_PASSWORD', 'another')
  const refused = await migrate(ofVisitor())
  expect(refused).toEqual({
    code: 1,
    text: expect.stringMatching(
      /^DATABASE_READER_PASSWORD: the server refuses shardwalk_reader: password authentication failed/m,
    ),
  })
})
