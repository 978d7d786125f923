import { DecodeError } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { LiteServerError, QueryTimeout, TransportError, WrongAnswer } from '../errors.ts'
import { type Verdict, verdictOn } from './verdict.ts'
import { QueryWindow } from './window.ts'

test('a window grows up to 32, only while it is full and response times are stable', () => {
  const window = new QueryWindow()
  expect(window.size).toBe(8)
  for (let i = 0; i < 100; i++) window.succeeded(true)
  expect(window.size).toBe(8)
  window.inFlight = 8
  for (let i = 0; i < 100; i++) window.succeeded(false)
  expect(window.size).toBe(8)
  for (let i = 0; i < 10_000; i++) {
    window.inFlight = window.size
    window.succeeded(true)
  }
  expect(window.size).toBe(32)
})

test('a window halves once per burst of failures and never closes', () => {
  const window = new QueryWindow()
  for (let i = 0; i < 10; i++) window.shrink(i)
  expect(window.size).toBe(4)
  for (let s = 1; s < 10; s++) window.shrink(s * 2000)
  expect(window.size).toBe(1)
  expect(window.free).toBe(true)
})

const refused = (code: number, message = '') => new LiteServerError('s', 'm', code, message)
const head = { method: 'liteServer.getBlock', mcBlockSeqno: 5, serverHead: 10 } as const

test.each<[string, unknown, Partial<Parameters<typeof verdictOn>[1]>, Verdict]>([
  ['transport', new TransportError('s', 'lost'), {}, 'other'],
  ['timeout', new QueryTimeout('s', 'm', 1), {}, 'other'],
  ['wrong answer', new WrongAnswer('s', 'm', 'p'), {}, 'other'],
  ['undecodable', new DecodeError('p', 'x'), {}, 'other'],
  ['-503', refused(-503), {}, 'other'],
  ['652', refused(652), {}, 'other'],
  ['-668', refused(-668), {}, 'other'],
  ['228', refused(228), {}, 'other'],
  ['429', refused(429), {}, 'other'],
  ['502', refused(502), {}, 'other'],
  ['621', refused(621), {}, 'other'],
  ['602', refused(602), {}, 'older'],
  ['651 of an old block', refused(651), {}, 'older'],
  ['651 ahead of the head', refused(651), { mcBlockSeqno: 11 }, 'wait'],
  ['651 of an unknown block', refused(651), { mcBlockSeqno: undefined }, 'older'],
  ['-400 on a block', refused(-400), {}, 'fail'],
  ['-400 on history', refused(-400), { method: 'liteServer.getTransactions' }, 'older'],
  ['0 on a message', refused(0), { method: 'liteServer.sendMessage' }, 'fail'],
  ['0 on a query', refused(0), {}, 'other'],
  ['a bug', new TypeError('x'), {}, 'fail'],
])('after %s', (_, error, attempt, verdict) => {
  expect(verdictOn(error, { ...head, ...attempt })).toBe(verdict)
})
