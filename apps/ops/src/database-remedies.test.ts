import { DatabaseRefused } from '@shardwalk/db'
import { expect, test } from 'vitest'
import { remedyOf } from './database-remedies.ts'

const URL_OF_A_DATABASE = 'postgres://u:p@db.example/chain'

const refusal = (text: string, state?: string) =>
  remedyOf(new DatabaseRefused(text, state), URL_OF_A_DATABASE)

const untrusted = (code: string) => {
  const cause = Object.assign(new Error('a certificate'), { code })
  return remedyOf(new DatabaseRefused('text', undefined, { cause, isUntrusted: true }), URL_OF_A_DATABASE)
}

/** Texts of PostgreSQL 18, `pg` and RDS Proxy. */
test('what a server refuses is answered with what to change', () => {
  const noEntry = 'no pg_hba.conf entry for host "10.0.0.1", user "u", database "chain"'
  expect(refusal(`${noEntry}, no encryption`, '28000')).toMatch(/encryption, add sslmode=verify-full/)
  expect(refusal(`${noEntry}, SSL encryption`, '28000')).toMatch(/^Correct the user, or allow it/)
  expect(refusal('connection requires a valid client certificate', '28000')).toMatch(/sslcert=.*sslkey=/)
  expect(refusal('database "chain" does not exist', '3D000')).toBe('Create it: createdb chain')
  expect(refusal('Feature not supported: command-line options', '0A000')).toMatch(/PostgreSQL itself/)
  expect(refusal('The server does not support SSL connections')).toMatch(/^Remove sslmode/)
  expect(refusal('something else', 'XX000')).toBe('')
})

test('an expired certificate, another name and an unknown authority have remedies of their own', () => {
  expect(untrusted('CERT_HAS_EXPIRED')).toMatch(/Renew the certificate/)
  expect(untrusted('ERR_TLS_CERT_ALTNAME_INVALID')).toMatch(/host name that the certificate has/)
  for (const code of [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ])
    expect(untrusted(code)).toMatch(/sslrootcert=/)
})
