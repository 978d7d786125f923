// Real traces with random damage, or grown together: a result always, and the same one for any order.
import { randomCases } from '@shardwalk/testkit/runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { basicTree } from '../src/classify.ts'
import { breadthFirst } from '../src/core/block.ts'
import {
  type AccountFacts,
  classifyTrace,
  factsWanted,
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

const damagedBy = (one: fc.Arbitrary<Damage>, maxLength: number) =>
  fc
    .tuple(fc.nat(files.length - 1), fc.array(fc.tuple(one, fc.nat(200)), { minLength: 1, maxLength }))
    .map(([index, damages]) => {
      const { trace, facts } = files[index]!
      const scene = damages.reduce<Scene>((now, [change, at]) => change(now, at), { ...trace, facts })
      return { trace: { ...trace, transactions: scene.transactions } satisfies Trace, facts: scene.facts }
    })
const damaged = damagedBy(damage, 4)

/** A transaction of another trace and all that follows from it, caused by this one's transaction. */
const graft = (from: number, at: number): Damage => {
  const { trace, facts: others } = files[from]!
  const top = trace.transactions[at % trace.transactions.length]!
  const grafted = branchOf(top, trace.transactions)
  return ({ transactions, facts }, index) => {
    const parent = transactions[index % transactions.length]
    const root = top.inMessage
    const known = new Set(transactions.map(({ hash }) => hash))
    if (!parent || !root || grafted.some(({ hash }) => known.has(hash))) return { transactions, facts }
    const shift = parent.lt + 1n - (root.createdLt ?? top.lt)
    const later = (message: TraceMessage): TraceMessage => ({
      ...message,
      createdLt: (message.createdLt ?? top.lt) + shift,
      ...(message.hash === root.hash && { source: parent.account }),
    })
    const branch = grafted.map((tx) => ({
      ...tx,
      lt: tx.lt + shift,
      inMessage: tx.inMessage && later(tx.inMessage),
      outMessages: tx.outMessages.map(later),
    }))
    const outMessages = [...parent.outMessages, later(root)]
    return {
      transactions: [...transactions.map((tx) => (tx === parent ? { ...tx, outMessages } : tx)), ...branch],
      facts: new Map([...others, ...facts]),
    }
  }
}

function branchOf(top: TraceTransaction, all: readonly TraceTransaction[]): TraceTransaction[] {
  const receivers = new Map(all.map((tx) => [tx.inMessage?.hash, tx]))
  const branch = [top]
  for (const { outMessages } of branch)
    for (const { hash } of outMessages) {
      const receiver = receivers.get(hash)
      if (receiver) branch.push(receiver)
    }
  return branch
}

const anyGraft = fc.tuple(fc.nat(files.length - 1), fc.nat(200)).map(([from, at]) => graft(from, at))
const aborted = fc.constant(toTransaction((tx) => ({ ...tx, aborted: !tx.aborted })))
/** As the chain could have it: contracts that call others than they did, and fail where they did not. */
const grown = damagedBy(fc.oneof({ weight: 3, arbitrary: anyGraft }, { weight: 1, arbitrary: aborted }), 12)

test('a trace grown from others: each message is in an action, each fact asked for was wanted', () => {
  fc.assert(
    fc.property(grown, ({ trace, facts }) => {
      const { actions, failures, asked } = classifyTrace(trace, facts)
      expect(failures).toEqual([])
      const shown = new Set(actions.flatMap(({ tx_hashes }) => tx_hashes))
      const caused = trace.transactions.filter(({ inMessage }) => inMessage?.source)
      expect(caused.filter(({ hash }) => !shown.has(hash))).toEqual([])
      const { accounts, data } = factsWanted(trace, facts)
      const unexpected = [...asked].filter((address) => !accounts.has(address) && !data.has(address))
      expect(unexpected.filter((address) => facts.has(address))).toEqual([])
      const reversed = { ...trace, transactions: [...trace.transactions].reverse() }
      expect(rowToJson(classifyTrace(reversed, facts).actions)).toBe(rowToJson(actions))
    }),
    { numRuns: randomCases(500) },
  )
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
