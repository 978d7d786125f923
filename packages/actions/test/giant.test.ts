import { isLong } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { classifyTrace, type Trace, type TraceTransaction } from '../src/index.ts'
import { addr, boc, buildTrace, op } from './build-trace.ts'
import { jettonTransfer, wallet } from './hand-made.ts'

// The largest traces that are read completely: 10,000 transactions.

function timed(trace: Trace, facts = new Map()) {
  const before = process.memoryUsage().heapUsed
  const started = process.cpuUsage()
  const result = classifyTrace(trace, facts)
  const { user, system } = process.cpuUsage(started)
  const ms = (user + system) / 1000
  console.log(
    `${trace.transactions.length} transactions: ${ms.toFixed(0)} ms, ` +
      `${((process.memoryUsage().heapUsed - before) / 1e6).toFixed(0)} MB`,
  )
  // Not a measurement: quadratic behaviour would take minutes.
  expect(ms).toBeLessThan(20_000)
  expect(result.failures).toEqual([])
  return result
}

test('a wide trace: thousands of jetton transfers from one wallet', () => {
  const transfers = Array.from({ length: 3_333 }, (_, i) => jettonTransfer('ALICE', `USER${i}`))
  const facts = new Map([[addr('ALICE_J'), wallet('ALICE', 'USDT')]])
  for (let i = 0; i < transfers.length; i++) facts.set(addr(`USER${i}_J`), wallet(`USER${i}`, 'USDT'))
  const { actions } = timed(buildTrace('ALICE', transfers), facts)
  expect(actions.filter(({ type }) => type === 'jetton_transfer')).toHaveLength(3_333)
})

/** A contract that calls itself repeatedly. */
function chain(length: number, opcode: number): Trace {
  const transactions: TraceTransaction[] = []
  const body = boc(op(opcode).endCell())
  const message = (i: number) => ({
    hash: Buffer.from(`message ${i}`).toString('base64'),
    source: i === 0 ? null : addr('LOOP'),
    destination: addr('LOOP'),
    value: 1n,
    createdLt: i === 0 ? null : BigInt(i * 2 - 1),
    createdAt: 1,
    opcode,
    bounce: true,
    body,
  })
  for (let i = 0; i < length; i++)
    transactions.push({
      ...{
        hash: Buffer.from(`tx ${i}`).toString('base64'),
        account: addr('LOOP'),
        lt: BigInt(i * 2),
        now: 1,
        mcBlockSeqno: 1,
      },
      ...{ origStatus: 'active', endStatus: 'active', kind: 'ord', aborted: false, exitCode: 0 },
      inMessage: message(i),
      outMessages: i + 1 < length ? [message(i + 1)] : [],
    })
  const times = { startLt: 0n, endLt: BigInt(length * 2), startUtime: 1, endUtime: 1 }
  return {
    traceId: transactions[0]!.hash,
    externalHash: null,
    externalHashNorm: null,
    mcBlockSeqnoEnd: 1,
    ...times,
    transactions,
  }
}

// A plain call, and opcodes of patterns that go down: jetton transfers, swaps of STON.fi and DeDust.
for (const opcode of [0x11111111, 0x0f8a7ea5, 0x6664de2a, 0x61ee542d])
  test(`a deep trace: a contract that calls itself with 0x${opcode.toString(16)}`, () => {
    const length = isLong || opcode === 0x11111111 ? 9_999 : 3_333
    expect(timed(chain(length, opcode)).actions.length).toBeGreaterThan(0)
  })

test('a larger trace is not read: it has one action, and a failure with the reason', () => {
  const { state, actions, failures } = classifyTrace(chain(10_001, 1), new Map())
  expect([state, actions.map(({ type }) => type), failures[0]?.matcher]).toEqual([
    'failed',
    ['unknown'],
    'size',
  ])
})
