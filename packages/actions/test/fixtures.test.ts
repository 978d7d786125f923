import { randomCases } from '@shardwalk/testkit/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { basicTree } from '../src/classify.ts'
import type { Block } from '../src/core/block.ts'
import { type ActionRow, classifyTrace, readTraceFile, type Trace, type TraceMessage } from '../src/index.ts'
import { readTrace, traceNames } from './fixture-files.ts'

const files = traceNames().map((name) => ({ name, ...readTraceFile(readTrace(name)) }))

const sorted = (values: readonly string[]): string[] => [...values].sort()

function* surfaceOf(block: Block): Generator<Block> {
  for (const child of block.next) {
    yield child
    yield* surfaceOf(child)
  }
}

describe.each(files)('$name', ({ trace, facts }) => {
  const { state, actions, failures } = classifyTrace(trace, facts)

  test('is classified without a fault', () => {
    expect(failures).toEqual([])
    expect(state).toBe('ok')
    expect(actions.length).toBeGreaterThan(0)
  })

  test('has each transaction in the basic tree exactly once', () => {
    const nodes = [...surfaceOf(basicTree(trace))].flatMap((block) => block.nodes)
    const receivers = nodes.filter(({ kind }) => kind !== 'log').map(({ transaction }) => transaction.hash)
    expect(sorted(receivers)).toEqual(sorted(trace.transactions.map(({ hash }) => hash)))
  })

  test('has each transaction in an action', () => {
    const covered = new Set(actions.flatMap(({ tx_hashes }) => tx_hashes))
    expect(trace.transactions.filter(({ hash }) => !covered.has(hash))).toEqual([])
  })

  test('has distinct action ids and parents that exist', () => {
    const ids = new Set(actions.map(({ action_id }) => action_id))
    expect(ids.size).toBe(actions.length)
    expect(actions.filter(({ parent_action_id: id }) => id !== null && !ids.has(id))).toEqual([])
  })

  test('gives the same rows whatever the order of transactions', () => {
    const shuffled = { ...trace, transactions: [...trace.transactions].reverse() }
    expect(classifyTrace(shuffled, facts).actions).toEqual(actions)
  })
})

test('all 78 traces are present', () => {
  expect(files).toHaveLength(78)
})

type Change = (message: TraceMessage) => TraceMessage

const withMessages = (trace: Trace, change: Change): Trace => ({
  ...trace,
  transactions: trace.transactions.map((tx) => ({
    ...tx,
    inMessage: tx.inMessage && change(tx.inMessage),
    outMessages: tx.outMessages.map(change),
  })),
})

/** Applies a damage to the message with this number, counted over the trace by hash. */
function damageOne(trace: Trace, nth: number, damage: Change): Trace {
  const hashes = [...new Set(trace.transactions.map(({ inMessage }) => inMessage?.hash ?? ''))]
  const target = hashes[nth % hashes.length]
  return withMessages(trace, (message) => (message.hash === target ? damage(message) : message))
}

const flip = (body: Uint8Array, at: number, bit: number): Uint8Array => {
  const copy = Buffer.from(body)
  if (copy.length > 0) copy[at % copy.length]! ^= 1 << bit
  return copy
}

const damages = fc.oneof(
  fc.constant<Change>((message) => ({ ...message, body: null })),
  fc.tuple(fc.nat(2000), fc.nat(7)).map(
    ([at, bit]): Change =>
      (message) => ({ ...message, body: message.body && flip(message.body, at, bit) }),
  ),
  fc.nat(2000).map(
    (length): Change =>
      (message) => ({
        ...message,
        body: message.body?.subarray(0, length % (message.body.length + 1)) ?? null,
      }),
  ),
  fc
    .constantFrom(
      0x0f8a7ea5,
      0x178d4519,
      0x6664de2a,
      0xa7fb58f8,
      0x61ee542d,
      0xc0ffee20,
      0x00000003,
      0xdd4ea3b4,
      0x77a80ef3,
    )
    .map(
      (opcode): Change =>
        (message) => ({ ...message, opcode }),
    ),
)

const covers = (trace: Trace, actions: readonly ActionRow[]): boolean =>
  actions.length > 0 || trace.transactions.length === 0

const anyFile = fc.nat(files.length - 1)

test('no matcher fails on damaged bodies', () => {
  fc.assert(
    fc.property(anyFile, fc.nat(500), damages, (index, nth, damage) => {
      const { trace, facts } = files[index]!
      const damaged = damageOne(trace, nth, damage)
      const { failures, actions } = classifyTrace(damaged, facts)
      expect(failures).toEqual([])
      expect(covers(damaged, actions)).toBe(true)
    }),
    { numRuns: randomCases(1500) },
  )
})

test('no matcher fails on missing transactions', () => {
  fc.assert(
    fc.property(anyFile, fc.nat(500), (index, nth) => {
      const { trace, facts } = files[index]!
      const transactions = trace.transactions.filter((_, i) => i !== nth % trace.transactions.length)
      const { failures, actions } = classifyTrace({ ...trace, transactions }, facts)
      expect(failures).toEqual([])
      expect(covers({ ...trace, transactions }, actions)).toBe(true)
    }),
    { numRuns: randomCases(300) },
  )
})

test('no matcher fails on missing facts', () => {
  fc.assert(
    fc.property(anyFile, fc.nat(500), (index, nth) => {
      const { trace, facts } = files[index]!
      const kept = new Map([...facts].filter((_, i) => i % 3 !== nth % 3))
      expect(classifyTrace(trace, kept).failures).toEqual([])
    }),
    { numRuns: randomCases(300) },
  )
})
