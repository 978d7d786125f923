import { createHash } from 'node:crypto'
import type { DecodedMessage } from '@shardwalk/model'
import { randomCases } from '@shardwalk/testkit/runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TraceInput, TraceRow } from '../src/index.ts'
import { MemoryStore } from './memory-store.ts'

const hashOf = (name: string): Buffer => createHash('sha256').update(name).digest()
const ACCOUNT = { workchain: 0, hash: Buffer.alloc(32, 7) }
const SYSTEM = { workchain: -1, hash: Buffer.alloc(32) }

type RootKind = 'external' | 'none' | 'minted'

const message = (
  name: string,
  kind: DecodedMessage['kind'],
  more: Partial<DecodedMessage> = {},
): DecodedMessage => ({
  kind,
  hash: hashOf(name),
  bodyHash: Buffer.alloc(32),
  body: Buffer.alloc(0),
  ...(kind !== 'external_in' && { source: ACCOUNT }),
  ...more,
})

const rootMessage = (name: string, kind: RootKind): DecodedMessage | undefined => {
  if (kind === 'none') return undefined
  if (kind === 'external') return message(name, 'external_in', { hashNorm: hashOf(`${name} norm`) })
  return message(name, 'internal', { source: SYSTEM, isSystem: true })
}

interface Sketch {
  readonly name: string
  readonly lt: bigint
  readonly mcBlockSeqno: number
  readonly inMsg?: DecodedMessage
  readonly outMsgs?: readonly DecodedMessage[]
}

const transaction = ({ name, lt, mcBlockSeqno, inMsg, outMsgs = [] }: Sketch): TraceInput => ({
  mcBlockSeqno,
  transaction: {
    hash: hashOf(`tx ${name}`),
    lt,
    now: 1000 + mcBlockSeqno * 5,
    ...(inMsg && { inMsg }),
    outMsgs,
  },
})

/** Shape of one trace: per transaction the index of its parent, the delay in blocks, and logs. */
const shapes = fc.record({
  kind: fc.constantFrom<RootKind>('external', 'none', 'minted'),
  start: fc.nat(6),
  nodes: fc.array(fc.record({ parent: fc.nat(20), delay: fc.nat(3), logs: fc.nat(2), open: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  }),
})
type Shape = typeof shapes extends fc.Arbitrary<infer T> ? T : never

/** Transactions of a trace; `open` nodes send one more message that nobody receives. */
function grow({ kind, start, nodes }: Shape, trace: number): TraceInput[] {
  const made: {
    name: string
    lt: bigint
    mcBlockSeqno: number
    parent: number
    logs: number
    open: boolean
  }[] = []
  for (const [i, { parent, delay, logs, open }] of nodes.entries()) {
    const above = made[i === 0 ? -1 : parent % i]
    const mcBlockSeqno = above ? above.mcBlockSeqno + delay : start
    const lt = BigInt(mcBlockSeqno) * 1000n + BigInt(i) * 20n
    made.push({
      name: `${trace}.${i}`,
      lt: above && lt <= above.lt ? above.lt + 20n : lt,
      mcBlockSeqno,
      parent: above ? parent % i : -1,
      logs,
      open,
    })
  }
  return made.map(({ name, lt, mcBlockSeqno, parent, logs, open }, i) => {
    const children = made.filter((child) => child.parent === i)
    const outMsgs = [
      ...children.map((child) => message(`to ${child.name}`, 'internal')),
      ...Array.from({ length: logs }, (_, n) => message(`log ${name} ${n}`, 'external_out')),
      ...(open ? [message(`open ${name}`, 'internal')] : []),
    ]
    const inMsg = parent < 0 ? rootMessage(`root ${name}`, kind) : message(`to ${name}`, 'internal')
    return transaction({ name, lt, mcBlockSeqno, outMsgs, ...(inMsg && { inMsg }) })
  })
}

/** Batches by masterchain block, as a chain commits them. */
function toBatches(inputs: readonly TraceInput[]): TraceInput[][] {
  const batches = new Map<number, TraceInput[]>()
  for (const input of inputs)
    batches.set(input.mcBlockSeqno, [...(batches.get(input.mcBlockSeqno) ?? []), input])
  return [...batches.keys()].sort((a, b) => a - b).map((seqno) => batches.get(seqno)!)
}

function store(batches: readonly (readonly TraceInput[])[]): MemoryStore {
  const memory = new MemoryStore()
  for (const batch of batches) memory.add(batch)
  return memory
}

const chains = fc.array(shapes, { minLength: 1, maxLength: 6 }).map((list) => list.flatMap(grow))

/** A chain and its batches in another order. */
const shuffled = chains.chain((inputs) => {
  const batches = toBatches(inputs)
  return fc.record({
    batches: fc.constant(batches),
    order: fc.shuffledSubarray(batches, { minLength: batches.length }),
  })
})

test('tables do not depend on the order of batches', () => {
  fc.assert(
    fc.property(shuffled, ({ batches, order }) => {
      expect(store(order).snapshot()).toEqual(store(batches).snapshot())
    }),
    { numRuns: randomCases(600) },
  )
})

test('tables do not depend on how transactions are grouped into batches', () => {
  fc.assert(
    fc.property(shuffled, ({ batches, order }) => {
      const cut = Math.floor(order.length / 2)
      const coarse = [order.slice(0, cut).flat(), order.slice(cut).flat()]
      expect(store(coarse).snapshot()).toEqual(store(batches).snapshot())
    }),
    { numRuns: randomCases(300) },
  )
})

test('a missing batch does not change what is joined around it', () => {
  fc.assert(
    fc.property(shuffled, fc.nat(100), ({ batches, order }, nth) => {
      const missing = batches[nth % batches.length]
      const some = store(batches.filter((batch) => batch !== missing)).snapshot()
      expect(store(order.filter((batch) => batch !== missing)).snapshot()).toEqual(some)
    }),
    { numRuns: randomCases(300) },
  )
})

test('every transaction belongs to one trace, whose row counts it', () => {
  fc.assert(
    fc.property(shuffled, ({ batches, order }) => {
      const memory = store(order)
      const { traces, traceOf } = memory
      const counted = [...traces.values()].reduce((sum, { nodes }) => sum + nodes, 0)
      expect(traceOf.size).toBe(batches.flat().length)
      expect(counted).toBe(traceOf.size)
      for (const [id, row] of traces) {
        expect([...traceOf.values()].filter((trace) => trace === id)).toHaveLength(row.nodes)
        expect(row.state).toBe(row.pendingEdges > 0 ? 'pending' : 'complete')
      }
      const pending = [...traces.values()].reduce((sum, { pendingEdges }) => sum + pendingEdges, 0)
      expect(pending).toBe(memory.open.length)
    }),
    { numRuns: randomCases(300) },
  )
})

describe('one trace over three blocks', () => {
  const root = transaction({
    name: 'root',
    lt: 10n,
    mcBlockSeqno: 1,
    inMsg: message('ext', 'external_in', { hashNorm: hashOf('norm') }),
    outMsgs: [message('a', 'internal'), message('log', 'external_out')],
  })
  const middle = transaction({
    name: 'middle',
    lt: 20n,
    mcBlockSeqno: 2,
    inMsg: message('a', 'internal'),
    outMsgs: [message('b', 'internal')],
  })
  const leaf = transaction({ name: 'leaf', lt: 30n, mcBlockSeqno: 3, inMsg: message('b', 'internal') })
  const only = (memory: MemoryStore): TraceRow => {
    expect(memory.traces.size).toBe(1)
    return [...memory.traces.values()][0]!
  }

  test('is identified by its root, with counters and bounds', () => {
    expect(only(store([[root], [middle], [leaf]]))).toEqual({
      traceId: hashOf('tx root'),
      externalHash: hashOf('ext'),
      externalHashNorm: hashOf('norm'),
      state: 'complete',
      mcBlockSeqnoStart: 1,
      mcBlockSeqnoEnd: 3,
      startLt: 10n,
      startUtime: 1005,
      endLt: 30n,
      endUtime: 1015,
      nodes: 3,
      edges: 4,
      pendingEdges: 0,
    })
  })

  test('is pending while a message is undelivered', () => {
    expect(only(store([[root], [middle]]))).toMatchObject({
      state: 'pending',
      nodes: 2,
      edges: 3,
      pendingEdges: 1,
    })
  })

  test('is broken without its root and is repaired when the root arrives', () => {
    const memory = store([[leaf], [middle]])
    expect(only(memory)).toMatchObject({
      traceId: hashOf('tx middle'),
      state: 'broken',
      nodes: 2,
      pendingEdges: 1,
    })
    expect(only(memory).externalHash).toEqual(hashOf('a'))
    memory.add([root])
    expect(memory.snapshot()).toEqual(store([[root, middle, leaf]]).snapshot())
    expect(memory.open).toEqual([])
  })

  test('is joined by a batch between its two known ends', () => {
    const memory = store([[root], [leaf]])
    expect(memory.traces.size).toBe(2)
    memory.add([middle])
    expect(only(memory).state).toBe('complete')
  })
})
