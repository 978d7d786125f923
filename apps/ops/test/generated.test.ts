import { readFileSync } from 'node:fs'
import { formatPostgresConf, postgresSettings } from '@shardwalk/embedded-postgres'
import { expect, test } from 'vitest'

test('the committed PostgreSQL configuration matches the definition', () => {
  const committed = readFileSync(new URL('../../../infra/postgresql.conf', import.meta.url), 'utf8')
  expect(committed).toContain(formatPostgresConf(postgresSettings({ memoryBytes: 8 * 1024 ** 3 })))
})

test('the log of the proxy has none of the query parameters in which the API takes keys', () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const named = ['access/credentials.ts', 'pending/mount-push.ts'].flatMap((file) =>
    [...read(`apps/api/src/${file}`).matchAll(/(?:query|searchParams)\.get\('(\w+)'\)/g)].map(
      ([, name]) => name,
    ),
  )
  expect(named).toEqual(['api_key', 'token', 'secret'])
  for (const name of named) expect(read('infra/Caddyfile')).toContain(`replace ${name} hidden`)
})
