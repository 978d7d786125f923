import { DatabaseUnsuitable } from '@shardwalk/db'
import type { LogFields, Logger } from '@shardwalk/observability'
import { silentLogger } from '@shardwalk/observability'
import { type Pooler, type ScratchDatabase, scratchDatabase, startPooler } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { refuseUnsuitable } from '../src/suitable-databases.ts'

let scratch: ScratchDatabase
let pooler: Pooler
beforeAll(async () => {
  scratch = await scratchDatabase({ migrated: false })
  pooler = await startPooler(scratch.url)
})
afterAll(async () => {
  await pooler.close()
  await scratch.close()
})

/** Resolves to what is logged. */
async function start(databaseUrls: readonly string[], databaseWriteUrl?: string) {
  const logged: LogFields[] = []
  const log: Logger = { ...silentLogger, warn: (_message, fields = {}) => void logged.push(fields) }
  await refuseUnsuitable({ databaseUrls, databaseWriteUrl, readsFromReplicas: true }, log)
  return logged
}

test('the API does not start with a pooler that drops sessions, and names the setting', async () => {
  for (const [urls, writeUrl, setting] of [
    [[scratch.url, pooler.url], undefined, 'DATABASE_READ_URL'],
    [[scratch.url], pooler.url, 'DATABASE_URL'],
  ] as const) {
    const starting = start(urls, writeUrl)
    await expect(starting).rejects.toThrow(DatabaseUnsuitable)
    await expect(starting).rejects.toThrow(
      new RegExp(`^${setting}: 127\\.0\\.0\\.1:\\d+/.*settings of the session`),
    )
  }
})

test('a server that does not write is named in the log if it is the one to write to', async () => {
  const readOnly = new URL(scratch.url)
  readOnly.searchParams.set('options', '-c default_transaction_read_only=on')
  expect(await start([readOnly.href])).toEqual([])
  expect(await start([scratch.url], scratch.url)).toEqual([])
  expect(await start([readOnly.href], readOnly.href)).toMatchObject([{ setting: 'DATABASE_URL' }])
})

test('a replica that refuses or is away is named in the log, and the others answer', async () => {
  const wrong = new URL(scratch.url)
  wrong.password = 'topsecret'
  const logged = await start([scratch.url, wrong.href, 'postgres://u:topsecret@127.0.0.1:1/x'], scratch.url)
  const byServer = logged.toSorted((a, b) => String(a['server']).localeCompare(String(b['server'])))
  expect(byServer).toMatchObject([
    { setting: 'DATABASE_READ_URL', server: '127.0.0.1:1/x', error: { code: 'database_unreachable' } },
    { setting: 'DATABASE_READ_URL', server: `${wrong.host}${wrong.pathname}`, error: { sqlState: '28P01' } },
  ])
  expect(JSON.stringify(logged)).not.toContain('topsecret')
})
