import { readdirSync, readFileSync } from 'node:fs'
import {
  Builder,
  type Cell,
  forEachLeaf,
  loadDictRoot,
  loadMsgAddress,
  parseBoc,
  type Slice,
  sliceToCell,
} from '@shardwalk/cells'
import { descriptionCell } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { loadDescription } from '../src/description.ts'
import {
  loadBlock,
  loadBlockExtra,
  loadCurrencyCollection,
  loadTransaction,
  packDescription,
  skipCurrencyCollection,
  storeCurrencyCollection,
  unpackDescription,
} from '../src/index.ts'
import { storeTransaction } from './store.ts'

/**
 * What was loaded is stored again and must be the same cell. Of this package only currency collections
 * (`storeCurrencyCollection`) and descriptions (`packDescription`, in bytes that `unpackDescription` reads)
 * can be stored, of packages/cells addresses and dictionaries; everything else is only read by the service.
 * ./store.ts holds the opposite of the loaders of transactions and hash updates, the test kit that of
 * descriptions. Messages, accounts and states do not keep where in the cell a part stood, so no record of
 * theirs can be stored.
 */
const FOLDER = new URL('../../../fixtures/blocks/', import.meta.url)
const BLOCKS = readdirSync(FOLDER).filter((name) => name.endsWith('.boc'))

/**
 * Readers over the cells of the block's transactions, and the fees of their accounts, as the block has them.
 */
function contentOf(name: string): {
  readonly transactions: readonly Cell[]
  readonly sums: readonly Slice[]
} {
  const bag = parseBoc(readFileSync(new URL(name, FOLDER)))
  const { extra } = loadBlock(bag.slice(bag.root))
  const transactions: Cell[] = []
  const sums: Slice[] = []
  const takeSum = (slice: Slice): void => {
    const start = slice.clone()
    skipCurrencyCollection(slice)
    const [bits, refs] = [
      start.remainingBits - slice.remainingBits,
      start.remainingRefs - slice.remainingRefs,
    ]
    sums.push(start.loadPart(bits, refs))
  }
  forEachLeaf(loadDictRoot(loadBlockExtra(extra).accountBlocks), 256, (block) => {
    takeSum(block)
    // acc_trans#5 account_addr:bits256 transactions:(HashmapAug 64 ^Transaction CurrencyCollection)
    forEachLeaf(block.skip(4 + 256), 64, (leaf) => {
      takeSum(leaf)
      transactions.push(leaf.loadRefCell())
    })
  })
  return { transactions, sums }
}

test('the blocks have enough transactions to be representative', () => {
  expect(BLOCKS.flatMap((name) => contentOf(name).transactions).length).toBeGreaterThan(500)
})

test.each(BLOCKS)('%s: a transaction is the same cell when stored again', (name) => {
  const { transactions } = contentOf(name)
  for (const cell of transactions)
    expect(storeTransaction(loadTransaction(cell.slice(), 0), cell).hash()).toEqual(cell.hash())
})

test.each(BLOCKS)('%s: a description is the same cell when stored from its packed form', (name) => {
  for (const { refs } of contentOf(name).transactions) {
    const cell = refs.at(-1) as Cell
    const unpacked = unpackDescription(packDescription(loadDescription(cell.slice())))
    expect(descriptionCell(unpacked, cell.refs[0]!).hash()).toEqual(cell.hash())
  }
})

test.each(BLOCKS)('%s: sums of currencies are the same cells when stored again', (name) => {
  for (const sum of contentOf(name).sums) {
    const stored = storeCurrencyCollection(new Builder(), loadCurrencyCollection(sum.clone())).endCell()
    expect(stored.hash()).toEqual(sliceToCell(sum).hash())
  }
})

test.each(BLOCKS)('%s: addresses of messages have the same bits when stored again', (name) => {
  for (const message of contentOf(name).transactions.flatMap(messagesOf)) {
    const slice = message.slice()
    // int_msg_info$0 ihr_disabled bounce bounced, ext_in_msg_info$10, ext_out_msg_info$11; then src and dest.
    slice.skip(slice.preloadBit() ? 2 : 4)
    for (let i = 0; i < 2; i++) {
      const start = slice.clone()
      const address = loadMsgAddress(slice)
      const bits = start.loadPart(start.remainingBits - slice.remainingBits, 0)
      // An anycast prefix is applied when the address is loaded, so its own bits are lost.
      if ('anycast' in address) continue
      expect(new Builder().storeAddress(address).endCell().hash()).toEqual(sliceToCell(bits).hash())
    }
  }
})

function messagesOf(transaction: Cell): Cell[] {
  const messages: Cell[] = []
  const slice = (transaction.refs[0] as Cell).slice()
  if (slice.loadBit()) messages.push(slice.loadRefCell())
  forEachLeaf(loadDictRoot(slice), 15, (value) => {
    messages.push(value.loadRefCell())
  })
  return messages
}
