import {
  Builder,
  buildDictWithExtra,
  Cell,
  parseRoot,
  prunedBranch,
  serializeBoc,
  sha256,
} from '@shardwalk/cells'
import type { RawBlock } from '@shardwalk/model'
import { forEachInMsg, forEachOutMsg } from '@shardwalk/tlb'
import { expect, test } from 'vitest'
import { decodeOpenBlock } from '../src/decode-block.ts'
import { decodeBlock, listTransactions, loadStatesAfter, openBlock } from '../src/index.ts'
import { rawBlockOf } from './fixtures.ts'

const MASTERCHAIN = rawBlockOf('mainnet_-1_8000000000000000_58508098.boc')
const SHARD = rawBlockOf('mainnet_0_a000000000000000_54302203.boc')

/** A fork of a dictionary whose keys have `bits` bits more: 2^bits leaves in as many cells as bits. */
function shared(leaf: Cell, bits: number, extra = new Builder()): Cell {
  let edge = leaf
  for (let level = 0; level < bits; level++)
    edge = new Builder().storeUint(0, 2).storeBuilder(extra).storeRef(edge).storeRef(edge).endCell()
  return edge
}

const withRef = (cell: Cell, at: number, ref: Cell): Cell =>
  Cell.unchecked(
    cell.type,
    cell.data,
    cell.bits,
    cell.refs.map((old, i) => (i === at ? ref : old)),
  )

/** The block with other cells, and an id that fits, as a server may make it up. */
function madeUp({ id, bytes }: RawBlock, change: (root: Cell) => Cell): RawBlock {
  const root = change(parseRoot(bytes))
  const made = serializeBoc(root)
  return { bytes: made, id: { ...id, rootHash: root.hash(), fileHash: sha256(made) } }
}

const changeExtra = (block: RawBlock, at: number, ref: Cell) =>
  madeUp(block, (root) => withRef(root, 3, withRef(root.refs[3]!, at, ref)))

/** `HashmapAugE` with an extra of that many zeros. */
const dictionary = (root: Cell, zeros: number): Cell =>
  new Builder().storeBit(true).storeRef(root).storeUint(0, zeros).endCell()

const NOTHING = new Builder().endCell()
const atOnce = /more edges than the bag has cells/

test('shards without number are refused, not counted', () => {
  const descr = new Builder().storeBit(false).storeUint(0xa, 4)
  for (let bits = 0; bits < 900; bits += 10) descr.storeUint(0, 10)
  let tree = descr.endCell()
  for (let level = 0; level < 60; level++)
    tree = new Builder().storeBit(true).storeRef(tree).storeRef(tree).endCell()
  const leaf = new Builder().storeUint(0b10, 2).storeUint(32, 6).storeUint(0, 32).storeRef(tree).endCell()
  const block = madeUp(MASTERCHAIN, (root) => {
    const extra = root.refs[3]!
    const custom = extra.refs.at(-1)!
    return withRef(root, 3, withRef(extra, extra.refs.length - 1, withRef(custom, 0, leaf)))
  })
  expect(() => openBlock(block, { verify: 'cells' })).toThrow(atOnce)
})

test('messages without number are refused, not counted', () => {
  const currencies = new Builder().storeUint(0, 5)
  const leaf = new Builder().storeUint(0, 2).storeRef(NOTHING).storeRef(NOTHING).storeUint(0, 300).endCell()
  const dict = shared(leaf, 256, currencies)
  const { inMsgDescr } = openBlock(changeExtra(SHARD, 0, dictionary(dict, 9))).extra
  expect(() => forEachInMsg(inMsgDescr, () => undefined)).toThrow(atOnce)
  const { outMsgDescr } = openBlock(changeExtra(SHARD, 1, dictionary(dict, 5))).extra
  expect(() => forEachOutMsg(outMsgDescr, () => undefined)).toThrow(atOnce)
})

test('transactions without number are refused, not counted', () => {
  const currencies = new Builder().storeUint(0, 5)
  const leaf = new Builder().storeUint(0, 7).storeRef(NOTHING).endCell()
  const half = shared(leaf, 63, currencies)
  const hashes = new Builder().storeUint(0x72, 8).storeUint(0, 512).endCell()
  // One account, whose key is zeros, and the root of its transactions in line.
  const account = new Builder().storeUint(0b110, 3).storeUint(256, 9).storeBuilder(currencies)
  account.storeUint(5, 4).storeUint(0, 256).storeUint(0, 2).storeBuilder(currencies)
  account.storeRef(half).storeRef(half).storeRef(hashes)
  const block = openBlock(changeExtra(SHARD, 2, dictionary(account.endCell(), 5)))
  expect(() => listTransactions(block)).toThrow(atOnce)
  expect(() => decodeOpenBlock(block)).toThrow(atOnce)
})

test('states without number are not looked through', () => {
  const block = madeUp(SHARD, (root) => {
    const state = root.refs[2]!.refs[1]!
    const hidden = prunedBranch(shared(NOTHING, 1), 1)
    const depthBalance = new Builder().storeUint(0, 10)
    const accounts = dictionary(shared(hidden, 255, depthBalance), 10)
    const next = withRef(state, 1, accounts)
    const update = root.refs[2]!
    const data = Buffer.from(update.data)
    next.hash(0).copy(data, 33)
    data.writeUInt16BE(next.depth(0), 67)
    return withRef(root, 2, Cell.unchecked(update.type, data, update.bits, [update.refs[0]!, next]))
  })
  const { unread = [] } = decodeOpenBlock(openBlock(block))
  expect(unread.length).toBeGreaterThan(0)
  for (const { reason } of unread) expect(reason).toMatch(atOnce)
})

/** `HashmapE 32 (VarUInteger 32)` of 2^13 currencies in 14 cells. */
function manyCurrencies(): Cell {
  const half = shared(new Builder().storeUint(0, 2).storeVarUint(7n, 5).endCell(), 12)
  return new Builder().storeUint(0b110, 3).storeUint(19, 6).storeRef(half).storeRef(half).endCell()
}
const tooMany = /extra_currencies: more than 200000 in one block/

/** A block with 32 times the same transaction of one account, whose key is zeros. `tx`: up to its fees. */
function blockOfMany(tx: Builder) {
  const nothing = new Builder().storeUint(0, 5)
  const hashes = new Builder().storeUint(0x72, 8).storeUint(0, 512).endCell()
  tx.storeRef(hashes).storeRef(new Builder().storeUint(0b0001, 4).storeUint(0, 6).endCell())
  const half = shared(new Builder().storeUint(0, 7).storeRef(tx.endCell()).endCell(), 4, nothing)
  const account = new Builder().storeUint(0b110, 3).storeUint(256, 9).storeBuilder(nothing)
  account.storeUint(5, 4).storeUint(0, 256).storeUint(0b110, 3).storeUint(59, 7).storeBuilder(nothing)
  account.storeRef(half).storeRef(half).storeRef(hashes)
  return openBlock(changeExtra(SHARD, 2, dictionary(account.endCell(), 5)))
}

test('a block whose transactions name the same large dictionary again and again is refused', () => {
  const tx = new Builder().storeUint(0b0111, 4).storeUint(0, 256 + 64 + 256 + 64 + 32 + 15 + 2 + 2)
  tx.storeRef(new Builder().storeUint(0, 2).endCell()).storeUint(0, 4).storeMaybeRef(manyCurrencies())
  expect(() => decodeOpenBlock(blockOfMany(tx))).toThrow(tooMany)
})

test('a block whose transactions send the same messages without number is refused, not read', () => {
  // An event of nobody to nowhere, 2^15 times; the transaction says that it sent none.
  const message = new Builder()
    .storeUint(0b110000, 6)
    .storeUint(0, 64 + 32 + 2)
    .endCell()
  const sent = shared(new Builder().storeUint(0, 2).storeRef(message).endCell(), 15)
  const tx = new Builder().storeUint(0b0111, 4).storeUint(0, 256 + 64 + 256 + 64 + 32 + 15 + 2 + 2)
  tx.storeRef(new Builder().storeUint(0b01, 2).storeRef(sent).endCell()).storeUint(0, 5)
  expect(() => decodeOpenBlock(blockOfMany(tx))).toThrow(atOnce)
})

test('states that name the same large dictionary again and again are read up to a limit', () => {
  const account = new Builder()
    .storeBit(true)
    .storeUint(0b100, 3)
    .storeUint(0, 8 + 256)
  account
    .storeUint(0, 3 + 3 + 3 + 32 + 1 + 64 + 4)
    .storeMaybeRef(manyCurrencies())
    .storeUint(0, 2)
  const cell = account.endCell()
  const ids = Array.from({ length: 32 }, (_, i) => Buffer.alloc(32, i + 1))
  const nobody = () => new Builder().storeUint(0, 10)
  const accounts = buildDictWithExtra(
    ids.map((id) => [id, new Builder().storeRef(cell).storeUint(0, 256 + 64)] as const),
    256,
    { leaf: nobody, fork: nobody },
  )!
  const state = new Builder().storeUint(0x9023afe2, 32).storeUint(0, 32 + 104 + 96 + 64 + 32 + 32)
  state.storeRef(NOTHING).storeBit(false).storeRef(dictionary(accounts.cell, 10))
  state.storeRef(NOTHING).storeBit(false)
  const update = new Builder().storeRef(NOTHING).storeRef(state.endCell()).endCell()
  const touched = new Map(ids.map((id) => [id.toString('latin1'), cell.hash()]))
  const { states, unread } = loadStatesAfter(update.slice(), touched)
  expect([states.size, unread.size]).toEqual([24, 8])
  for (const { reason, boc } of unread.values())
    expect([reason, boc]).toEqual([expect.stringMatching(tooMany), undefined])
})

test('an envelope of a newer form costs no block: what the masterchain made has its sender', () => {
  const systemHashes = (block: RawBlock) =>
    decodeBlock(block).transactions.flatMap(({ inMsg }) => (inMsg?.isSystem ? [inMsg.hash] : []))
  const newer = madeUp(MASTERCHAIN, (root) => {
    const extra = root.refs[3]!
    const mcExtra = extra.refs[3]!
    const made = mcExtra.refs.at(-1)!
    const inMsg = made.refs[0]!
    const { data, bits, refs, type } = inMsg.refs[0]!
    const envelope = Cell.unchecked(
      type,
      Buffer.from([0x60 | (data[0]! & 15), ...data.subarray(1)]),
      bits,
      refs,
    )
    const changed = withRef(mcExtra, mcExtra.refs.length - 1, withRef(made, 0, withRef(inMsg, 0, envelope)))
    return withRef(root, 3, withRef(extra, 3, changed))
  })
  expect(newer.id).not.toEqual(MASTERCHAIN.id)
  expect(systemHashes(MASTERCHAIN).length).toBeGreaterThan(0)
  expect(systemHashes(newer)).toEqual(systemHashes(MASTERCHAIN))
})
