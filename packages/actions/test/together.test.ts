// Real traces below a call of another contract, alone and two at a time: what happens in each is the same.
import { randomCases } from '@shardwalk/testkit/runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type ActionRow,
  type ContractFacts,
  classifyTrace,
  readTraceFile,
  rowToJson,
  type Trace,
  type TraceMessage,
  type TraceTransaction,
} from '../src/index.ts'
import { addr, boc, op } from './build-trace.ts'
import { readTrace, traceNames } from './fixture-files.ts'

const files = traceNames().map((name) => ({ name, ...readTraceFile(readTrace(name)) }))
type File = (typeof files)[number]

/** Opcode of an order to a wallet v5, which anybody may pass on. */
const RELAYED = 0x73696e74
const RELAY = addr('RELAY')
const relayed = (body = boc(op(RELAYED).endCell())) => ({ createdAt: 1, opcode: RELAYED, value: 1n, body })

const rootOf = ({ transactions }: Trace): TraceTransaction => {
  const sent = new Set(transactions.flatMap(({ outMessages }) => outMessages.map(({ hash }) => hash)))
  return transactions.find(({ inMessage }) => !inMessage || !sent.has(inMessage.hash))!
}

/** One transaction calls the accounts that the traces began with, instead of what did. */
function calledByOne(traces: readonly Trace[]): Trace {
  const roots = traces.map(rootOf)
  const outMessages = roots.map(({ account }, i): TraceMessage => {
    const ends = { source: RELAY, destination: account }
    return { ...relayed(), ...ends, hash: `call ${i}`, createdLt: BigInt(2 + i) }
  })
  const external = {
    ...relayed(),
    source: null,
    destination: RELAY,
    value: null,
    createdLt: null,
    hash: 'in',
  }
  const first = { hash: 'first', account: RELAY, lt: 1n, now: 1, mcBlockSeqno: 1, kind: 'ord' }
  const ran = { origStatus: 'active', endStatus: 'active', aborted: false, exitCode: 0 }
  return {
    ...traces[0]!,
    transactions: [
      { ...first, ...ran, inMessage: external, outMessages },
      ...roots.map((root, i) => ({ ...root, inMessage: outMessages[i]! })),
      ...traces.flatMap(({ transactions }) => transactions.filter((tx) => !roots.includes(tx))),
    ],
  }
}

/** Without what the trace as a whole is, and what it was asked by. */
const printed = (row: ActionRow): string =>
  rowToJson([{ ...row, trace_id: '', trace_external_hash: null, ...apart }])
const apart = {
  trace_external_hash_norm: null,
  trace_end_lt: 0n,
  trace_end_utime: 0,
  trace_mc_seqno_end: 0,
  parent_gasless_action: undefined,
}

/** Those that a message of the trace began, and not the one from outside, with their parts. */
function caused(trace: Trace, facts: ContractFacts): ReadonlyMap<string, string> {
  const { lt } = rootOf(trace)
  const found = new Map<string, string>()
  for (const row of classifyTrace(trace, facts).actions) {
    const isPartOfOther = row.parent_action_id !== null && !found.has(row.parent_action_id)
    if (row.start_lt > lt && !isPartOfOther) found.set(row.action_id, printed(row))
  }
  return found
}

function expectUnchanged(some: readonly File[]): void {
  const facts = new Map(some.flatMap((file) => [...file.facts]))
  const { actions, failures } = classifyTrace(calledByOne(some.map(({ trace }) => trace)), facts)
  expect(failures).toEqual([])
  const found = new Map(actions.map((row) => [row.action_id, printed(row)]))
  const requests = actions.filter(({ type }) => type === 'gasless_request').map(({ action_id: id }) => id)
  expect(requests).toHaveLength(some.length)
  for (const { parent_gasless_action: id = requests[0] } of actions) expect(requests).toContain(id)
  for (const { name, trace } of some)
    for (const [id, row] of caused(trace, facts)) expect([name, found.get(id)]).toEqual([name, row])
}

test('below another contract the actions of each trace are the same', () => {
  for (const file of files) expectUnchanged([file])
  expect(files.flatMap(({ trace, facts }) => [...caused(trace, facts)]).length).toBeGreaterThan(300)
})

test('two operations that one transaction began are those that they are apart', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(...files), { minLength: 2, maxLength: 4 }), expectUnchanged),
    { numRuns: randomCases(1000) },
  )
})
