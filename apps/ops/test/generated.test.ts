import { readFileSync } from 'node:fs'
import { formatPostgresConf, postgresSettings } from '@shardwalk/embedded-postgres'
import { expect, test } from 'vitest'

test('the committed PostgreSQL configuration matches the definition', () => {
  const committed = readFileSync(new URL('../../../infra/postgresql.conf', import.meta.url), 'utf8')
  expect(committed).toContain(formatPostgresConf(postgresSettings({ memoryBytes: 8 * 1024 ** 3 })))
})
