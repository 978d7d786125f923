// Real traces with random damage: the classifier always returns a result, and the same one for any order.
import { randomCases } from '@shardwalk/testkit/runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { breadthFirst } from '../src/core/block.ts'
import {
  type AccountFacts,
  basicTree,
  classifyTrace,
  readTraceFile,
  renderAction,
  rowToJson,
  type Trace,
  type TraceMessage,
  type TraceTransaction,
} from '../src/index.ts'
import { readTrace, traceNames } from './fixture-files.ts'

const files = traceNames().map((name) => readTraceFile(readTrace(name)))
const messages = files.flatMap(({ trace }) =>
  trace.transactions.flatMap(({ inMessage, outMessages }) => [
    ...(inMessage ? [inMessage] : []),
    ...outMessages,
  ]),
)
const accounts = files.flatMap(({ facts }) => [...facts.values()])

interface Scene {
  readonly transactions: readonly TraceTransaction[]
  readonly facts: ReadonlyMap<string, AccountFacts>
}
/** Damage to the transaction at this index (modulo length). */
type Damage = (scene: Scene, at: number) => Scene

const toTransaction =
  (change: (tx: TraceTransaction) => TraceTransaction): Damage =>
  ({ transactions, facts }, at) => ({
    transactions: transactions.map((tx, i) => (i === at % transactions.length ? change(tx) : tx)),
    facts,
  })

/** Changes the inbound message on both of its sides. */
const toMessage =
  (change: (message: TraceMessage) => TraceMessage): Damage =>
  ({ transactions, facts }, at) => {
    const hash = transactions[at % transactions.length]?.inMessage?.hash
    const changed = (message: TraceMessage): TraceMessage =>
      message.hash === hash ? change(message) : message
    return {
      transactions: transactions.map((tx) => ({
        ...tx,
        inMessage: tx.inMessage && changed(tx.inMessage),
        outMessages: tx.outMessages.map(changed),
      })),
      facts,
    }
  }

const toFacts =
  (change: (facts: Map<string, AccountFacts>, account: string) => void): Damage =>
  ({ transactions, facts }, at) => {
    const copy = new Map(facts)
    const tx = transactions[at % transactions.length]
    if (tx) change(copy, tx.account)
    return { transactions, facts: copy }
  }

const anyMessage = fc.nat(messages.length - 1).map((i) => messages[i]!)
const anyStatus = fc.constantFrom('active', 'uninit', 'frozen', 'nonexist')
const damage: fc.Arbitrary<Damage> = fc.oneof(
  fc.constant<Damage>(({ transactions, facts }, at) => ({
    transactions: transactions.filter((_, i) => i !== at % transactions.length),
    facts,
  })),
  anyMessage.map(({ body, opcode }) => toMessage((message) => ({ ...message, body, opcode }))),
  anyMessage.map(({ opcode }) => toMessage((message) => ({ ...message, opcode }))),
  anyMessage.map(({ source, destination }) => toMessage((message) => ({ ...message, source, destination }))),
  fc.double({ min: 0, max: 1, noNaN: true }).map((part) =>
    toMessage((message) => ({
      ...message,
      body: message.body?.subarray(0, part * message.body.length) ?? null,
    })),
  ),
  fc.constant(toMessage((message) => ({ ...message, opcode: 0xffffffff }))),
  fc
    .record({
      aborted: fc.boolean(),
      exitCode: fc.constantFrom(null, 0, 37),
      origStatus: anyStatus,
      endStatus: anyStatus,
    })
    .map((state) => toTransaction((tx) => ({ ...tx, ...state }))),
  fc.constant(
    toTransaction((tx) => ({ ...tx, outMessages: tx.outMessages.filter((m) => m.destination !== null) })),
  ),
  fc.nat(accounts.length - 1).map((i) => toFacts((facts, account) => facts.set(account, accounts[i]!))),
  fc.constant(toFacts((facts, account) => facts.delete(account))),
  fc.constant(
    toFacts((facts, account) => {
      const nft = { index: null, collection: null }
      const listing = { marketplace: null, nft: null, owner: null }
      facts.set(account, {
        nftItem: nft,
        nftSale: { ...listing, fullPrice: null },
        nftAuction: { ...listing, lastBid: null },
        multisigOrder: { multisig: null, signers: [] },
        data: Buffer.alloc(3),
      })
    }),
  ),
)

const damaged = fc
  .tuple(fc.nat(files.length - 1), fc.array(fc.tuple(damage, fc.nat(200)), { minLength: 1, maxLength: 4 }))
  .map(([index, damages]) => {
    const { trace, facts } = files[index]!
    const scene = damages.reduce<Scene>((now, [change, at]) => change(now, at), { ...trace, facts })
    return { trace: { ...trace, transactions: scene.transactions } satisfies Trace, facts: scene.facts }
  })

test('no matcher fails on a damaged trace, and every row can be rendered', () => {
  fc.assert(
    fc.property(damaged, ({ trace, facts }) => {
      const { actions, failures } = classifyTrace(trace, facts)
      expect(failures).toEqual([])
      for (const row of actions) renderAction(row)
      const ids = actions.map(({ action_id }) => action_id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(actions.filter(({ parent_action_id: id }) => id !== null && !ids.includes(id))).toEqual([])
    }),
    { numRuns: randomCases(700) },
  )
})

test('a damaged trace has each transaction in the basic tree exactly once', () => {
  fc.assert(
    fc.property(damaged, ({ trace }) => {
      const nodes = breadthFirst(basicTree(trace)).flatMap((block) => block.nodes)
      const found = nodes.filter(({ kind }) => kind !== 'log').map(({ transaction }) => transaction.hash)
      expect(found.sort()).toEqual(trace.transactions.map(({ hash }) => hash).sort())
    }),
    { numRuns: randomCases(300) },
  )
})

test('a damaged trace gives the same rows whatever the order of its transactions', () => {
  fc.assert(
    fc.property(damaged, ({ trace, facts }) => {
      const reversed = { ...trace, transactions: [...trace.transactions].reverse() }
      expect(rowToJson(classifyTrace(reversed, facts).actions)).toBe(
        rowToJson(classifyTrace(trace, facts).actions),
      )
    }),
    { numRuns: randomCases(300) },
  )
})
