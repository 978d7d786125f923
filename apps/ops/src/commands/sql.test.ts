import { expect, test } from 'vitest'
import { psqlEnvironment } from './sql.ts'

test('psql connects as the URL says, with its certificates', () => {
  const tls = 'sslmode=verify-full&sslrootcert=/etc/root.pem&sslkey=/etc/key'
  expect(psqlEnvironment(`postgres://an%40alyst:se%2Fcret@[::1]:5433/chain?${tls}`)).toMatchObject({
    ...{ PGHOST: '::1', PGPORT: '5433', PGDATABASE: 'chain', PGUSER: 'an@alyst', PGPASSWORD: 'se/cret' },
    ...{ PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/etc/root.pem', PGSSLKEY: '/etc/key' },
  })
  expect(psqlEnvironment('postgres://me@db/chain')).toMatchObject({ PGPORT: '5432', PGSSLMODE: 'prefer' })
})
