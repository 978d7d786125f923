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

/** Texts of Node and OpenSSL. */
test.each([
  ["ENOENT: no such file or directory, open '/etc/ca.crt'", /^Correct sslrootcert, sslcert and sslkey/],
  ['EISDIR: illegal operation on a directory, read', /^Correct sslrootcert/],
  ['error:0480006C:PEM routines::no start line', /PEM files in sslcert and sslkey/],
  ['error:05800074:x509 certificate routines::key values mismatch', /the key of sslcert/],
  ['ssl3_read_bytes:tlsv1 alert unknown ca:SSL alert number 48', /trust the authority of sslcert/],
  ['ssl3_read_bytes:sslv3 alert certificate expired', /^Renew the certificate in sslcert/],
])('a file of the URL that cannot be used is answered with which: %s', (text, remedy) => {
  expect(refusal(text)).toMatch(remedy)
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
