import { ErrorReply, InvalidEmulation } from '@shardwalk/api-schema'
import { NoPlaceFree } from '@shardwalk/emulation'
import { ThreadsBusy } from '@shardwalk/node-access/requests'
import { OffsetTooLarge } from '@shardwalk/queries'
import { ReplyTooLarge } from '@shardwalk/replies'
import { expect, test } from 'vitest'
import { emulationFailure } from '../emulate/failures.ts'
import { toV2Failure } from '../node/failures.ts'
import { errorBody, toFailure } from './errors.ts'

test('an archive server that is away is distinguished from a database that is', () => {
  const away = (message: string, where: string) => Object.assign(new Error(message), { code: '08001', where })
  const archive = away(
    'could not connect to server "shardwalk_archive_10.0.0.5_1f2e3d4c"',
    'remote SQL command: SELECT account_id, lt FROM shardwalk_archive.transactions WHERE ((lt = $1::bigint))',
  )
  const itself = away('could not connect to server "shardwalk_self"', '')
  expect([toFailure(archive), toFailure(itself)]).toMatchObject([
    { status: 503, message: 'the archive server that keeps these older blocks is not available' },
    { status: 503, message: 'database is not available' },
  ])
})

test('an offset beyond what a list can skip is a wrong value, and the text names the cursor', () => {
  expect(toFailure(new OffsetTooLarge(2_000_000_000))).toMatchObject({
    status: 422,
    message: expect.stringMatching(/"offset".*at most 100000.*`cursor`/),
    ours: false,
  })
})

test('a reply that would be too large is a wrong request of every interface, with the advice', () => {
  const error = new ReplyTooLarge('too large: lower `limit`')
  const failure = { status: 422, message: error.message }
  expect([toFailure(error), emulationFailure(error)]).toMatchObject([failure, failure])
  expect(toV2Failure(error, 'get')).toEqual({ status: 422, text: error.message, headers: {} })
})

test('a wrong request to emulate is 400; without a place it is 429 if the client has all its own', () => {
  const retry = { 'Retry-After': '1' }
  const message = 'too many emulations in progress'
  const errors = [new InvalidEmulation('boc is required'), new NoPlaceFree('client'), new NoPlaceFree('all')]
  expect(errors.map(emulationFailure)).toMatchObject([
    { status: 400, message: 'invalid request: boc is required' },
    { status: 429, message, headers: retry },
    { status: 503, message, headers: retry },
  ])
})

test('work for which no thread is free is refused for a second, whichever interface wanted it', () => {
  const error = new ThreadsBusy('no thread was free in time')
  const failure = { status: 503, message: error.message, headers: { 'Retry-After': '1' } }
  expect([toFailure(error), emulationFailure(error)]).toMatchObject([failure, failure])
  expect(toV2Failure(error, 'post')).toMatchObject({
    status: 503,
    text: error.message,
    headers: failure.headers,
  })
})

test('the body of every failure of API v3 is as described, that of 429 too', () => {
  for (const status of [401, 422, 429, 500])
    expect(ErrorReply.safeParse(JSON.parse(errorBody({ message: 'no', status }))).error).toBeUndefined()
})

test.each([
  ['53100', 'disk space'],
  ['53200', 'memory'],
])('SQLSTATE %s of a statement is 503 in every interface, for want of %s', (code, resource) => {
  const error = Object.assign(new Error('could not write to file'), { code, severity: 'ERROR' })
  const message = `the database has not enough ${resource} for this request`
  const headers = { 'Retry-After': '10' }
  expect(toFailure(error)).toEqual({ status: 503, message, headers, ours: true })
  expect(toV2Failure(error, 'get')).toEqual({ status: 503, text: message, headers, isUnexpected: true })
})

test('a database that is away is 503 in API v2 as well', () => {
  const error = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  expect(toV2Failure(error, 'get')).toMatchObject({ status: 503, text: 'database is not available' })
  expect(toV2Failure(new Error('bug'), 'get')).toMatchObject({ status: 500, text: 'Internal Server Error' })
})

test('a database that refuses the user, or whose certificate has expired, is not available', () => {
  for (const fields of [{ code: '28P01', severity: 'FATAL' }, { code: 'CERT_HAS_EXPIRED' }])
    expect(toFailure(Object.assign(new Error('refused'), fields))).toMatchObject({
      status: 503,
      message: 'database is not available',
    })
})
