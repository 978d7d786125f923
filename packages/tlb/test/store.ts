import { Builder, buildDict, type Cell, forEachLeaf, loadDictRoot } from '@shardwalk/cells'
import type { DecodedTransaction } from '@shardwalk/model'
import { storeCurrencyCollection } from '../src/index.ts'

/**
 * block.tlb `transaction$0111`; the cells of messages and description are those of the transaction that was
 * loaded.
 */
export function storeTransaction(transaction: DecodedTransaction, loaded: Cell): Cell {
  const { totalFees, totalFeesExtraCurrencies, stateHashBefore, stateHashAfter } = transaction
  const builder = new Builder()
    .storeUint(0b0111, 4)
    .storeBytes(transaction.account.hash)
    .storeUint(transaction.lt, 64)
    .storeBytes(transaction.prevTransHash)
    .storeUint(transaction.prevTransLt, 64)
    .storeUint(transaction.now, 32)
    .storeUint(transaction.outMsgs.length, 15)
    .storeUint(STATUSES.indexOf(transaction.origStatus), 2)
    .storeUint(STATUSES.indexOf(transaction.endStatus), 2)
    .storeRef(storeMessages(transaction, loaded.refs[0] as Cell))
  const update = new Builder().storeUint(0x72, 8).storeBytes(stateHashBefore).storeBytes(stateHashAfter)
  return storeCurrencyCollection(builder, { grams: totalFees, extra: totalFeesExtraCurrencies })
    .storeRef(update.endCell())
    .storeRef(loaded.refs.at(-1) as Cell)
    .endCell()
}

const STATUSES = ['uninit', 'frozen', 'active', 'nonexist']

/**
 * `^[ in_msg:(Maybe ^(Message Any)) out_msgs:(HashmapE 15 ^(Message Any)) ]`, each message found by its hash.
 */
function storeMessages({ inMsg, outMsgs }: DecodedTransaction, loaded: Cell): Cell {
  const cells = new Map<string, Cell>()
  const slice = loaded.slice()
  const add = (cell: Cell): unknown => cells.set(cell.hash().toString('hex'), cell)
  if (slice.loadBit()) add(slice.loadRefCell())
  forEachLeaf(loadDictRoot(slice), 15, (value) => {
    add(value.loadRefCell())
  })
  const cellOf = (hash: Buffer): Cell => cells.get(hash.toString('hex')) as Cell
  const out = outMsgs.map(({ hash }, i) => [BigInt(i), new Builder().storeRef(cellOf(hash))] as const)
  return new Builder()
    .storeMaybeRef(inMsg && cellOf(inMsg.hash))
    .storeMaybeRef(buildDict(out, 15))
    .endCell()
}
