import { parseRoot } from '@shardwalk/cells'
import type { DecodedMessage, DecodedTransaction } from '@shardwalk/model'
import { type AccountSnapshot, estimateFee } from '@shardwalk/node-access'
import { activeAccount } from '@shardwalk/testkit'
import { swept } from '@shardwalk/testkit/runs'
import { loadStateInit } from '@shardwalk/tlb'
import { messageFees } from '@shardwalk/tvm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type EmulatedTrace,
  type EmulatedTransaction,
  type EmulateTraceOptions,
  emulateTrace,
  type Moment,
  openChain,
  readRootMessage,
} from '../src/index.ts'
import { ChainUnderEmulation, type Recorded } from './chain-under-emulation.ts'

/** One in this many external messages is emulated. All 861: EMULATED_EVERY=1. */
const EVERY = Number(process.env['EMULATED_EVERY'] ?? 40)
/** The same for the fees of messages, unless tests are long. */
const ESTIMATED_EVERY = 32

let chain: ChainUnderEmulation
beforeAll(async () => {
  chain = await ChainUnderEmulation.start()
})
afterAll(() => chain?.close())

const sample = () => chain.externals.filter((_, index) => index % EVERY === EVERY - 1)

async function emulate(
  { external, mcBlockSeqno }: ChainUnderEmulation['externals'][number],
  options: Partial<EmulateTraceOptions> = {},
): Promise<EmulatedTrace> {
  const before = await openChain(chain.node, {}, mcBlockSeqno - 1)
  return emulateTrace(before, readRootMessage(external), { ignoreSignatures: false, ...options })
}

/** True if another trace changed the account since the state used for emulation. */
function isOvertaken({ transaction, before }: EmulatedTransaction, recorded: Recorded): boolean {
  const isSame = before.hash.equals(recorded.transaction.stateHashBefore)
  if (isSame) expect(transaction.prevTransLt).toBe(recorded.transaction.prevTransLt)
  return !isSame
}

const KINDS = ['equal', 'different', 'overtaken', 'unrecorded'] as const
type Counts = Record<(typeof KINDS)[number], number>
const NONE: Readonly<Counts> = { equal: 0, different: 0, overtaken: 0, unrecorded: 0 }

interface Compared {
  readonly recorded: ChainUnderEmulation['externals'][number]
  readonly found: Counts
}

/** The transactions of a message, emulated at the recorded times, with the recorded ones. */
async function compare(recorded: Compared['recorded']): Promise<Counts> {
  const stateOf = async (message: DecodedMessage) => {
    const real = chain.find(message)
    return real && chain.accountBefore(real)
  }
  const counts = { ...NONE }
  const trace = await emulate(recorded, { momentOf: chain.momentOf, stateOf })
  for (const emulated of trace.transactions) {
    const real = chain.find(emulated.transaction.inMsg!)
    // What follows a transaction that differs is not in the recording.
    if (!real) counts.unrecorded++
    else if (!emulated.before.hash.equals(real.transaction.stateHashBefore)) counts.overtaken++
    else if (emulated.transaction.hash.equals(real.transaction.hash)) counts.equal++
    else counts.different++
    if (real?.transaction.hash.equals(emulated.transaction.hash)) chain.keep(emulated)
  }
  return counts
}

describe('every external message on the state before its block', () => {
  test('causes the recorded transactions, bit by bit, at the recorded times', {
    timeout: 3_000_000,
  }, async () => {
    const counts = { ...NONE }
    const add = (found: Counts) => {
      for (const kind of KINDS) counts[kind] += found[kind]
    }
    // What changed an account before may be in a trace that comes later: those are run again, with that.
    let waiting: readonly Compared[] = sample().map((recorded) => ({ recorded, found: NONE }))
    for (let before = Number.POSITIVE_INFINITY; waiting.length < before; ) {
      before = waiting.length
      const compared: Compared[] = []
      for (const { recorded } of waiting) compared.push({ recorded, found: await compare(recorded) })
      for (const { found } of compared) if (found.overtaken === 0) add(found)
      waiting = compared.filter(({ found }) => found.overtaken > 0)
    }
    for (const { found } of waiting) add(found)
    if (EVERY === 1) process.stdout.write(`${JSON.stringify(counts)}\n`)
    const { equal, different } = counts
    // One contract ran before its library was published; libraries are of the newest block.
    expect(different).toBeLessThanOrEqual(1)
    expect(equal).toBeGreaterThan(sample().length)
    const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
    // Of a sample, more is in states that messages outside it left.
    expect(equal).toBeGreaterThan((EVERY === 1 ? 0.99 : 0.9) * all)
  })

  test('has the same outcome at the predicted times', { timeout: 3_000_000 }, async () => {
    let compared = 0
    for (const recorded of sample()) {
      const { transactions } = await emulate(recorded)
      const [root] = transactions
      if (isOvertaken(root!, recorded)) continue
      expect(outcome(root!.transaction)).toEqual(outcome(recorded.transaction))
      compared++
    }
    expect(compared).toBeGreaterThan(sample().length / 2)
  })
})

/** Of the messages, those whose account was not changed by another since the block before. */
async function* estimated() {
  const { node } = chain
  for (const { external, mcBlockSeqno, transaction } of swept(chain.externals, ESTIMATED_EVERY)) {
    const head = await node.blocks.masterchain(mcBlockSeqno - 1)
    const { message } = readRootMessage(external)
    const address = message.destination!
    const account = await node.accounts.at(head, address)
    if (!account.cell?.hash().equals(transaction.stateHashBefore)) continue
    const { code, data } = message.initState ? loadStateInit(parseRoot(message.initState).slice()) : {}
    const init = code && data && { code: code.preloadRefCell(), data: data.preloadRefCell() }
    /** At the time of the transaction. */
    const estimate = (changes: Partial<AccountSnapshot> = {}, deployed = init) => {
      const now = { ...account, utime: transaction.now, ...changes }
      const then = {
        ...node,
        blocks: Object.assign(Object.create(node.blocks), { masterchain: async () => head }),
        accounts: Object.assign(Object.create(node.accounts), { at: async () => now }),
      }
      return estimateFee(then, {
        ...{ address, body: parseRoot(message.body), init: deployed },
        ignoreSignatures: false,
      })
    }
    yield { transaction, account, estimate }
  }
}

/** False if a message was refused or skipped. */
const sentAll = ({ description: { actionPhase } }: DecodedTransaction): boolean =>
  !actionPhase ||
  (actionPhase.success && actionPhase.msgsCreated === actionPhase.totActions - actionPhase.specActions)

test('fees estimated before a message was sent are those of its transaction', {
  timeout: 3_000_000,
}, async () => {
  let compared = 0
  for await (const { transaction, estimate } of estimated()) {
    const fees = await estimate()
    const real = messageFees(transaction)
    if (sentAll(transaction)) expect(fees).toEqual(real)
    else {
      expect({ ...fees, fwdFee: real.fwdFee }).toEqual(real)
      expect(fees.fwdFee).toBeGreaterThan(real.fwdFee)
    }
    compared++
  }
  expect(compared).toBeGreaterThan(swept(chain.externals, ESTIMATED_EVERY).length / 2)
})

test('fees of messages are the same for an account that cannot pay them', {
  timeout: 3_000_000,
}, async () => {
  let compared = 0
  for await (const { transaction, account, estimate } of estimated()) {
    const real = messageFees(transaction)
    const { account: stored, code, data } = account
    // The contracts of the network pay for nothing.
    if (real.gasFee === 0n || real.fwdFee === 0n || !sentAll(transaction)) continue
    const balance = real.inFwdFee + real.storageFee + real.gasFee
    const cell = code && data ? activeAccount({ ...stored!, ...account, code, data, balance }) : account.cell!
    const fees = await estimate({ balance, cell })
    // What a contract does may depend on its balance.
    if (fees.gasFee !== real.gasFee) continue
    expect(fees.fwdFee).toBe(real.fwdFee)
    compared++
  }
  expect(compared).toBeGreaterThan(swept(chain.externals, ESTIMATED_EVERY).length / 3)
})

test('fees of an account without money, deployed or not, are those of one that can pay', {
  timeout: 3_000_000,
}, async () => {
  const compared = { deployed: 0, new: 0 }
  for await (const { transaction, account, estimate } of estimated()) {
    const real = messageFees(transaction)
    const { account: stored, code, data } = account
    if (real.gasFee === 0n || real.fwdFee === 0n || !sentAll(transaction)) continue
    const empty =
      stored && code && data
        ? { cell: activeAccount({ ...stored, ...account, code, data, balance: 0n }) }
        : { cell: undefined, account: undefined, lastTransLt: 0n, lastTransHash: Buffer.alloc(32) }
    const fees = await estimate({ balance: 0n, ...empty })
    // What a contract does may depend on its balance.
    if (fees.gasFee !== real.gasFee) continue
    expect(fees.fwdFee).toBe(real.fwdFee)
    compared[empty.cell ? 'deployed' : 'new']++
  }
  expect(compared.deployed).toBeGreaterThan(swept(chain.externals, ESTIMATED_EVERY).length / 3)
  expect(compared.new).toBeGreaterThan(0)
})

test('what an account owes for storage is part of its fee', { timeout: 3_000_000 }, async () => {
  const due = 5_000_000n
  let compared = 0
  for await (const { transaction, account, estimate } of estimated()) {
    const { account: stored, code, data } = account
    if (messageFees(transaction).gasFee === 0n || !stored || !code || !data) continue
    const parts = { ...stored, ...account, code, data }
    const fees = await estimate({ cell: activeAccount(parts) })
    // What a contract does may depend on what it owes.
    const owing = { cell: activeAccount({ ...parts, due }), account: { ...stored, duePayment: due } }
    expect((await estimate(owing)).storageFee).toBe(fees.storageFee + due)
    // Nor is it forgotten if the message is not accepted, or deploys the contract again.
    expect((await estimate({ ...owing, code: undefined })).storageFee).toBe(fees.storageFee + due)
    expect((await estimate(owing, { code, data })).storageFee).toBe(fees.storageFee + due)
    if (++compared === 5) break
  }
  expect(compared).toBe(5)
})

/** The parts that do not depend on time, except storage fees. */
const outcome = ({ description, outMsgs, origStatus, endStatus }: DecodedTransaction) => ({
  origStatus,
  endStatus,
  aborted: description.aborted,
  compute: description.computePhase && !description.computePhase.skipped && description.computePhase.exitCode,
  gas: description.computePhase && !description.computePhase.skipped && description.computePhase.gasUsed,
  action: description.actionPhase?.resultCode,
  sent: outMsgs.map(({ kind, destination, bodyHash }) => ({ kind, destination, bodyHash })),
})

const hashes = ({ transactions }: EmulatedTrace) =>
  transactions.map(({ transaction }) => transaction.hash.toString('hex'))

/** The recorded message with the largest trace: 255 messages of one wallet. */
const largest = () =>
  chain.externals.reduce((a, b) => (a.transaction.outMsgs.length >= b.transaction.outMsgs.length ? a : b))

describe('a trace', () => {
  test('is the same whenever it is asked for, whatever ran in between', async () => {
    const [first, other] = sample()
    const once = await emulate(first!)
    await emulate(other!)
    const again = await emulate(first!)
    expect(hashes(again)).toEqual(hashes(once))
    expect(again.seed).toEqual(once.seed)
    expect(once.seed).not.toEqual((await emulate(other!)).seed)
  })

  test('ends at the limits and is incomplete then', async () => {
    const whole = await emulate(largest())
    expect(whole.transactions).toHaveLength(256)
    expect(whole.isIncomplete).toBe(false)
    const limits = [
      [{ transactions: 10 }, 10],
      [{ depth: 1 }, 1],
      [{ gas: 1n }, 1],
      [{ messages: 255 }, 1],
      [{ messageBytes: 1 }, 1],
      [{ stateBytes: 1 }, 1],
    ] as const
    for (const [limit, count] of limits) {
      const cut = await emulate(largest(), { limits: limit })
      expect(cut).toMatchObject({ isIncomplete: true, isCutShort: false })
      expect(hashes(cut)).toEqual(hashes(whole).slice(0, count))
    }
  })

  test('asks for no more accounts than it may run', async () => {
    const recorded = largest()
    const before = await openChain(chain.node, {}, recorded.mcBlockSeqno - 1)
    const account = before.account.bind(before)
    const asked = new Set<string>()
    before.account = (address) => {
      asked.add(address.hash.toString('hex'))
      return account(address)
    }
    const options = { ignoreSignatures: false, limits: { transactions: 3 } }
    await emulateTrace(before, readRootMessage(recorded.external), options)
    expect(asked.size).toBe(3)
  })

  test('keeps what could be run when a transaction in it fails', async () => {
    const recorded = largest()
    const before = await openChain(chain.node, {}, recorded.mcBlockSeqno - 1)
    const failing = recorded.transaction.outMsgs[3]!.destination!
    const account = before.account.bind(before)
    before.account = (address) =>
      address.hash.equals(failing.hash) ? Promise.reject(new Error('no state')) : account(address)
    const trace = await emulateTrace(before, readRootMessage(recorded.external), { ignoreSignatures: false })
    expect(trace).toMatchObject({ isIncomplete: true, isCutShort: true })
    const toIt = recorded.transaction.outMsgs.filter(({ destination }) =>
      destination!.hash.equals(failing.hash),
    )
    expect(trace.transactions).toHaveLength(256 - toIt.length)
  })

  test('ends at its deadline, and without a first transaction there is none', async () => {
    const recorded = largest()
    const deadline = new AbortController()
    let count = 0
    const momentOf = (): Moment | undefined => {
      if (++count === 5) deadline.abort(new Error('too late'))
      return undefined
    }
    const cut = await emulate(recorded, { signal: deadline.signal, momentOf })
    expect(cut).toMatchObject({ isIncomplete: true, isCutShort: true, transactions: { length: 5 } })
    const late = openChain(chain.node, { signal: AbortSignal.abort(new Error('too late')) })
    await expect(late).rejects.toMatchObject({ code: 'aborted' })
  })

  test('is refused when its first transaction takes too long', async () => {
    const [recorded] = sample()
    const before = await openChain(chain.node, {}, recorded!.mcBlockSeqno - 1)
    before.run = async () => ({ ok: false, reason: 'timeout', message: 'no answer within 2000 ms' })
    const trace = emulateTrace(before, readRootMessage(recorded!.external), { ignoreSignatures: false })
    await expect(trace).rejects.toMatchObject({ code: 'deadline', retry: 'later' })
  })

  test('is refused for a block that nobody has', async () => {
    await expect(openChain(chain.node, {}, 100_000)).rejects.toMatchObject({ code: 'block_too_new' })
  })
})
