import { readdirSync, readFileSync } from 'node:fs'
import { ROLE_PASSWORDS, type ScratchDatabase, urlOfRole } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDb, type DatabaseHandle, grantRoles } from '../src/index.ts'

const FOLDER = new URL('../../../infra/grafana/dashboards/', import.meta.url)

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly rawSql?: string; readonly format?: string }[]
}
const panels = readdirSync(FOLDER)
  .flatMap((file) => (JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { panels: Panel[] }).panels)
  .flatMap(({ title, targets = [] }) =>
    targets.flatMap(({ rawSql, format }) => (rawSql ? [{ title, sql: rawSql, format }] : [])),
  )

let scratch: ScratchDatabase
let analyst: DatabaseHandle
beforeAll(async () => {
  scratch = await classifiedChain()
  await grantRoles(scratch.pool, { create: true, passwords: ROLE_PASSWORDS })
  analyst = createDb({ url: urlOfRole(scratch.url, 'analyst'), max: 1 })
})
afterAll(async () => {
  await analyst?.close()
  await scratch?.close()
})

/** What Grafana makes of its macros for the time of the sample. */
const filled = (sql: string): string =>
  sql
    .replace(/\$__timeFilter\((\w+)\)/g, "$1 between '2026-11-21T11:00:00Z' and '2026-11-21T13:00:00Z'")
    .replaceAll('$__interval', '1m')

test('there are panels', () => expect(panels.length).toBeGreaterThan(15))

test.each(panels)('$title: the analyst gets rows', async ({ sql, format }) => {
  const text = filled(sql)
  expect(text).not.toContain('$')
  const { rows, fields } = await analyst.pool.query(text)
  expect(rows.length).toBeGreaterThan(0)
  if (format !== 'time_series') return
  // A line per further column, each a number.
  expect(fields[0]!.name).toBe('time')
  expect(rows.every(({ time }) => time instanceof Date)).toBe(true)
  for (const { name } of fields.slice(1))
    expect(rows.some((row) => row[name] !== null && Number.isFinite(Number(row[name])))).toBe(true)
})
