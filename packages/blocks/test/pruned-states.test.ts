import { type Cell, serializeBoc } from '@shardwalk/cells'
import type { AccountStateAfter, DecodedBlock, RawBlock } from '@shardwalk/model'
import { randomFrom } from '@shardwalk/testkit'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { isLong, swept } from '@shardwalk/testkit/runs'
import { loadExtraCurrenciesDict } from '@shardwalk/tlb'
import { describe, expect, test } from 'vitest'
import { decodeBlock, KnownCells, loadStateAfter } from '../src/index.ts'
import { blockIndex, rawBlock } from './fixtures.ts'
import { cellsBelow, type OpenedBlock, openForPruning, pruneCells, withPruned } from './pruning.ts'
import { openRecordedChain } from './recorded-chain.ts'

/**
 * The state with what it lacks taken from other cells, by hash: what the indexer does with earlier states.
 */
function completed(state: AccountStateAfter, known: KnownCells): AccountStateAfter {
  const { parts, extraCurrenciesPart, extraCurrenciesHash, ...rest } = state
  for (const boc of [parts, extraCurrenciesPart]) if (boc) known.add(boc)
  const tree = (hash: Buffer | undefined) => {
    const found = hash && known.tree(hash)
    return found?.levelMask === 0 ? found : undefined
  }
  const whole = (hash: Buffer | undefined) => {
    const found = tree(hash)
    return found && serializeBoc(found)
  }
  const currencies = tree(extraCurrenciesHash)
  return {
    ...rest,
    extraCurrencies: currencies ? loadExtraCurrenciesDict(currencies.slice()) : state.extraCurrencies,
    code: state.code ?? whole(state.codeHash),
    data: state.data ?? whole(state.dataHash),
  }
}

const knownOf = (account: Cell): KnownCells => {
  const known = new KnownCells()
  known.addTree(account)
  return known
}

/**
 * Libraries are published once and kept by hash: those that a state does not show again are not looked for.
 */
/** Neither libraries nor balances in data can be completed. */
const completable = ({ libraries: _, jettonBalance: _balance, ...state }: AccountStateAfter) => state

const withoutStates = ({ id: _, transactions, ...block }: DecodedBlock) => ({
  ...block,
  transactions: transactions.map(({ stateAfter: _state, ...tx }) => tx),
})

const keyOf = ({ hash }: { readonly hash: Buffer }): string => hash.toString('hex')

const opened = (raw: RawBlock, block: DecodedBlock): OpenedBlock =>
  openForPruning(raw, new Set(block.transactions.map((tx) => keyOf(tx.account))))

/** Decodes the block with these cells pruned and compares it with the whole one. */
function expectEqual(whole: DecodedBlock, block: OpenedBlock, isPruned: (cell: Cell) => boolean): void {
  const pruned = decodeBlock(withPruned(block, isPruned))
  expectSame(withoutStates(pruned), withoutStates(whole))
  const cells = new Map(block.accounts.map(({ key, cell }) => [key, cell]))
  for (const [i, { account, stateAfter }] of pruned.transactions.entries()) {
    const wanted = whole.transactions[i]!.stateAfter
    expect(stateAfter === undefined).toBe(wanted === undefined)
    const cell = cells.get(keyOf(account))
    if (!stateAfter || !wanted || !cell) continue
    expect([undefined, wanted.jettonBalance]).toContain(stateAfter.jettonBalance)
    expectSame(
      completable(completed(stateAfter, knownOf(cell))),
      completable(completed(wanted, knownOf(cell))),
    )
  }
}

/** Everything below Account cells; what is one, two and three steps below; by chance. */
function prunings({ accounts }: OpenedBlock, seed: number): ((cell: Cell) => boolean)[] {
  const levels: Set<Cell>[] = []
  let level = accounts.flatMap(({ cell }) => cell.refs)
  for (let depth = 0; depth < 3; depth++) {
    levels.push(new Set(level))
    level = level.flatMap((cell) => cell.refs)
  }
  const all = accounts.flatMap(({ cell }) => cellsBelow(cell))
  const random = randomFrom(seed)
  const chosen = [0.05, 0.3].map((share) => new Set(all.filter(() => random() < share)))
  const can = new Set(all)
  return [...levels, ...chosen].map((set) => (cell) => set.has(cell) && can.has(cell))
}

/** Each cell below the Account cell pruned alone. Returns how many there were that `seen` does not have. */
function pruneOneByOne(account: Cell, seen: Set<string>): number {
  const whole = completable(completed(loadStateAfter(account.slice()), knownOf(account)))
  const cells = cellsBelow(account).filter((cell) => {
    const key = cell.hash().toString('latin1')
    return !seen.has(key) && seen.add(key)
  })
  for (const one of cells) {
    const pruned = loadStateAfter(pruneCells(account, (cell) => cell === one).slice())
    expectSame(completable(completed(pruned, knownOf(account))), whole)
  }
  return cells.length
}

describe.each(blockIndex.filter((entry) => entry.transactions > 0))('$file', (entry) => {
  const raw = rawBlock(entry)
  const whole = decodeBlock(raw)
  const block = opened(raw, whole)

  test('is read with any parts of its touched accounts pruned, and its states can be completed', () => {
    for (const isPruned of swept(prunings(block, entry.seqno), 2)) expectEqual(whole, block, isPruned)
  })

  test('has states that can be read and completed without any one of their cells', () => {
    const seen = new Set<string>()
    for (const { cell } of block.accounts) pruneOneByOne(cell, seen)
  })
})

describe('every block of the recorded chain', () => {
  const chain = openRecordedChain()
  const blocks = chain.steps.flatMap((step) => [...step.shards, step.block].map((block) => chain.read(block)))

  test('is read with any parts of its touched accounts pruned, and its states can be completed', () => {
    let currencies = 0
    for (const [i, raw] of blocks.entries()) {
      const whole = decodeBlock(raw)
      const hides = whole.transactions.some((tx) => tx.stateAfter?.extraCurrencies)
      if (!isLong && !hides && i % 9 > 0) continue
      const block = opened(raw, whole)
      // One after the other: each block takes one way, the chain takes all of them many times.
      const ways = prunings(block, i)
      if (hides) currencies++
      for (const isPruned of hides ? ways : [ways[i % ways.length]!]) expectEqual(whole, block, isPruned)
    }
    expect(currencies).toBeGreaterThan(3)
  })

  test('has states that can be read and completed without any one of their cells', () => {
    const seen = new Set<string>()
    let pruned = 0
    for (const raw of swept(blocks, 6))
      for (const { cell } of opened(raw, decodeBlock(raw)).accounts) pruned += pruneOneByOne(cell, seen)
    expect(pruned).toBeGreaterThan(isLong ? 1_000 : 500)
  })
})
