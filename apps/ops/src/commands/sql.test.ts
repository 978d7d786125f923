import { expect, test } from 'vitest'
import { psqlEnvironment } from './sql.ts'

test('psql connects as the URL says, with its certificates', () => {
  const tls = 'sslmode=verify-full&sslrootcert=/etc/root.pem&sslkey=/etc/key'
  expect(psqlEnvironment(`postgres://an%40alyst:se%2Fcret@[::1]:5433/chain?${tls}`)).toMatchObject({
    ...{ PGHOST: '::1', PGPORT: '5433', PGDATABASE: 'chain', PGUSER: 'an@alyst', PGPASSWORD: 'se/cret' },
    ...{ PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/etc/root.pem', PGSSLKEY: '/etc/key' },
  })
  expect(psqlEnvironment('postgres://me@db/chain')).toMatchObject({ PGPORT: '5432', PGSSLMODE: 'prefer' })
  expect(psqlEnvironment('postgres://me@db/chain?sslmode=no-verify')).toMatchObject({ PGSSLMODE: 'require' })
})

test('psql reads only, and has the options of the URL', () => {
  const options = '-c search_path=ton -c default_transaction_read_only=on'
  expect(psqlEnvironment('postgres://me@db/chain?options=-c%20search_path%3Dton').PGOPTIONS).toBe(options)
})
