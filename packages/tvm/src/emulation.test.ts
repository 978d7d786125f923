import { openBlock } from '@shardwalk/blocks'
import {
  Builder,
  buildDict,
  type Cell,
  forEachLeaf,
  loadDictRoot,
  parseBoc,
  parseRoot,
  sliceToCell,
} from '@shardwalk/cells'
import type { DecodedTransaction, RawBlock } from '@shardwalk/model'
import { readMaybeGzipped } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, fixtureChain, fixtureZerostate } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { decodeAnswer } from '@shardwalk/tl'
import {
  findConfigParam,
  loadMcStateExtra,
  loadShardState,
  loadTransaction,
  skipCurrencyCollection,
} from '@shardwalk/tlb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageFees, type TvmEnvironment, TvmPool } from './index.ts'

/**
 * Number of accounts whose whole history is re-run. All 432 created in the recording: EMULATED_ACCOUNTS=1000.
 */
const ACCOUNTS = Number(process.env['EMULATED_ACCOUNTS'] ?? (isLong ? 50 : 20))

/** TVM exit code; also for a missing library. */
const CELL_UNDERFLOW = 9

interface Recorded {
  readonly cell: Cell
  readonly decoded: DecodedTransaction
  /** `rand_seed` of the block. */
  readonly seed: Buffer
  /** Key block whose configuration is in force; 0 for the zerostate. */
  readonly keyBlock: number
}

const pool = new TvmPool({ threads: 1, timeoutMs: 30_000 })
/** Transactions of basechain accounts created in the recording, by account. */
const histories = new Map<string, Recorded[]>()
/** Dictionary of parameters by the key block that set it. */
const configs = new Map<number, Cell>()
const environments = new Map<string, TvmEnvironment>()
let libraries: Cell

/** Public libraries from the recorded lite server: `Hashmap 256 ^Cell`. */
async function recordedLibraries(): Promise<Cell> {
  const file = await readMaybeGzipped(`${FIXTURE_CHAIN_FOLDER}/liteserver-answers/libraries.json`)
  const { entries } = JSON.parse(String(file)) as { entries: { function: string; answer?: string }[] }
  const found = new Map<string, Cell>()
  for (const { function: name, answer } of entries) {
    if (name !== 'liteServer.getLibraries' || !answer) continue
    const decoded = decodeAnswer(name, Buffer.from(answer, 'hex'))
    if (decoded.ok)
      for (const { hash, data } of decoded.value.result) found.set(hash.toString('hex'), parseRoot(data))
  }
  return buildDict(
    [...found].map(([hash, cell]) => [BigInt(`0x${hash}`), new Builder().storeRef(cell)] as const),
    256,
  )!
}

beforeAll(async () => {
  const zerostate = parseBoc(await fixtureZerostate())
  configs.set(
    0,
    sliceToCell(
      loadMcStateExtra(loadShardState(zerostate.slice(zerostate.root)).custom!.loadRefSlice()).config.root,
    ),
  )
  libraries = await recordedLibraries()
  for await (const { raw } of fixtureChain()) for (const block of raw) collect(block)
})
afterAll(() => pool.close())

function collect(raw: RawBlock): void {
  const { skeleton, extra, mcExtra } = openBlock(raw)
  if (mcExtra?.config) configs.set(raw.id.seqno, sliceToCell(mcExtra.config.root))
  if (raw.id.workchain !== 0) return
  const { randSeed, prevKeyBlockSeqno } = skeleton.header
  // block.tlb `acc_trans#5 account_addr:bits256 transactions:(HashmapAug 64 ^Transaction
  // CurrencyCollection)`.
  forEachLeaf(loadDictRoot(extra.accountBlocks.clone()), 256, (account) => {
    skipCurrencyCollection(account)
    forEachLeaf(account.skip(4 + 256), 64, (value) => {
      skipCurrencyCollection(value)
      const cell = value.loadRefCell()
      const decoded = loadTransaction(cell.slice(), 0)
      const key = decoded.account.hash.toString('hex')
      if (decoded.prevTransLt === 0n && decoded.origStatus === 'nonexist' && histories.size < ACCOUNTS)
        histories.set(key, [])
      histories.get(key)?.push({ cell, decoded, seed: randSeed, keyBlock: prevKeyBlockSeqno })
    })
  })
}

const environmentOf = ({ keyBlock, decoded }: Recorded): TvmEnvironment => {
  const compute = decoded.description.computePhase
  // One contract ran before the library with its code was published.
  const hasLibraries = !(compute && !compute.skipped && compute.exitCode === CELL_UNDERFLOW)
  const key = `${keyBlock} ${hasLibraries}`
  const made =
    environments.get(key) ??
    pool.environment({ config: configs.get(keyBlock)!, ...(hasLibraries && { libraries }) })
  environments.set(key, made)
  return made
}

/**
 * block.tlb `account_descr$_ account:^Account last_trans_hash:bits256 last_trans_lt:uint64` of no account.
 */
const NO_ACCOUNT = new Builder()
  .storeRef(new Builder().storeBit(false).endCell())
  .storeBytes(Buffer.alloc(32))
  .storeUint(0, 64)
  .endCell()

/** `in_msg:(Maybe ^(Message Any))`, the first reference of the cell with the messages. */
const inMessageOf = (transaction: Cell): Cell => transaction.slice().loadRefSlice().skip(1).loadRefCell()

const emulate = (shardAccount: Cell, recorded: Recorded) =>
  pool.emulate({
    environment: environmentOf(recorded),
    shardAccount,
    message: inMessageOf(recorded.cell),
    now: recorded.decoded.now,
    lt: recorded.decoded.lt,
    seed: recorded.seed,
    ignoreSignatures: false,
  })

/**
 * Import fee of a message into the basechain (config parameter 25): its root cell is free, equal cells count
 * once.
 */
function importFee(config: Cell, message: Cell): bigint {
  const slice = findConfigParam({ root: config.slice() }, 25)!.skip(8)
  const [lump, bitPrice, cellPrice] = [
    slice.loadUintBig(64),
    slice.loadUintBig(64),
    slice.loadUintBig(64),
  ] as const
  const cells = new Map<string, Cell>()
  const visit = (cell: Cell) => {
    if (cells.has(cell.hash().toString('hex'))) return
    cells.set(cell.hash().toString('hex'), cell)
    cell.refs.forEach(visit)
  }
  message.refs.forEach(visit)
  const bits = [...cells.values()].reduce((sum, cell) => sum + cell.bits, 0)
  return lump + (bitPrice * BigInt(bits) + cellPrice * BigInt(cells.size) + 0xffffn) / 0x10000n
}

test('re-run histories give the recorded transactions bit for bit, and their fees', async () => {
  let transactions = 0
  let externals = 0
  for (const history of histories.values()) {
    let account = NO_ACCOUNT
    for (const recorded of history) {
      const result = await emulate(account, recorded)
      if (!result.ok || !result.accepted)
        throw new Error(`lt ${recorded.decoded.lt}: ${JSON.stringify(result)}`)
      expect(parseRoot(result.transaction).hash()).toEqual(recorded.decoded.hash)
      // A deleted account leaves the shard together with its history.
      account = recorded.decoded.endStatus === 'nonexist' ? NO_ACCOUNT : parseRoot(result.shardAccount)
      transactions++
      if (recorded.decoded.inMsg?.kind !== 'external_in') continue
      externals++
      const fees = messageFees(loadTransaction(parseRoot(result.transaction).slice(), 0))
      expect(fees.inFwdFee).toBe(importFee(configs.get(recorded.keyBlock)!, inMessageOf(recorded.cell)))
      expect(fees).toEqual(messageFees(recorded.decoded))
    }
  }
  console.log(`${transactions} transactions of ${histories.size} accounts, ${externals} of them external`)
  expect(externals).toBeGreaterThan(100)
})

/** The account before its first accepted external message, and that message. */
async function beforeExternal(): Promise<{ account: Cell; recorded: Recorded; after: Cell }> {
  for (const history of histories.values()) {
    let account = NO_ACCOUNT
    for (const recorded of history) {
      const result = await emulate(account, recorded)
      if (!result.ok || !result.accepted) break
      const after = parseRoot(result.shardAccount)
      if (recorded.decoded.inMsg?.kind === 'external_in') return { account, recorded, after }
      account = after
    }
  }
  throw new Error('the recording has no external message')
}

test('a message that is not accepted has an exit code and costs nothing', async () => {
  const { recorded, after } = await beforeExternal()
  const later = { ...recorded, decoded: { ...recorded.decoded, lt: recorded.decoded.lt + 1_000_000n } }
  // The same message again: its sequence number is used up.
  expect(await emulate(after, later)).toMatchObject({
    ok: true,
    accepted: false,
    exitCode: expect.any(Number),
    steps: expect.any(Number),
    logTail: expect.stringMatching(/terminating vm with exit code \d+\n$/),
  })
  expect(await emulate(NO_ACCOUNT, recorded)).toEqual({ ok: true, accepted: false, steps: 0, logTail: '' })
})

test('equal calls give equal answers without a seed, whatever runs in between', async () => {
  const { account, recorded, after } = await beforeExternal()
  const call = {
    environment: environmentOf(recorded),
    shardAccount: account,
    message: inMessageOf(recorded.cell),
    now: recorded.decoded.now,
    lt: recorded.decoded.lt,
    ignoreSignatures: true,
  }
  const first = await pool.emulate(call)
  await emulate(after, recorded)
  expect(first).toMatchObject({ ok: true, accepted: true })
  expect(await pool.emulate(call)).toEqual(first)
})

test('an invalid account or message makes no transaction, and the thread continues', async () => {
  const { account, recorded } = await beforeExternal()
  const threads = pool.counters.threadsStarted
  const empty = new Builder().endCell()
  const call = { environment: environmentOf(recorded), now: 1, lt: 1n, ignoreSignatures: false }
  expect(
    await pool.emulate({ ...call, shardAccount: empty, message: inMessageOf(recorded.cell) }),
  ).toMatchObject({
    ok: false,
  })
  expect(await pool.emulate({ ...call, shardAccount: account, message: empty })).not.toHaveProperty(
    'transaction',
  )
  expect(await emulate(account, recorded)).toMatchObject({ ok: true, accepted: true })
  expect(pool.counters.threadsStarted).toBe(threads)
})

test('a configuration that is none fails, and the next call with a good one is answered', async () => {
  const { account, recorded } = await beforeExternal()
  const broken = pool.environment({ config: new Builder().storeUint(1, 8).endCell() })
  const message = inMessageOf(recorded.cell)
  const call = {
    environment: broken,
    shardAccount: account,
    message,
    now: 1,
    lt: 1n,
    ignoreSignatures: false,
  }
  expect(await pool.emulate(call)).toMatchObject({ ok: false })
  expect(await emulate(account, recorded)).toMatchObject({ ok: true, accepted: true })
})
