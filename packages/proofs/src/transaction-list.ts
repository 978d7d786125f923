import { parseBoc } from '@shardwalk/cells'
import type { BlockId } from '@shardwalk/model'
import { prove, proving } from './errors.ts'

/** Fields of `liteServer.transactionList`; `ids[i]` is the block of root i of `transactions`. */
export interface TransactionListAnswer {
  readonly ids: readonly BlockId[]
  readonly transactions: Buffer
}

/** A transaction of an account, as lite servers list them. */
export interface ListedTransaction {
  readonly block: BlockId
  readonly hash: Buffer
  readonly lt: bigint
  /** Index of the transaction's cell in `bag`. */
  readonly root: number
}

/**
 * Requires that the list has 1 to `count` transactions, starts at (`lt`, `hash`), and that each entry is the
 * predecessor of the one before it. The result is as trustworthy as (`lt`, `hash`). Throws `ProofError`.
 * Source: block.tlb `transaction$0111`; tonlib, `raw.getTransactions`.
 */
export function verifyTransactionList(
  answer: TransactionListAnswer,
  from: { readonly lt: bigint; readonly hash: Buffer; readonly count: number },
) {
  const subject = `transactions from ${from.lt}`
  return proving(subject, () => {
    prove(answer.ids.length > 0, subject, 'the list is empty')
    prove(answer.ids.length <= from.count, subject, 'more transactions than asked for')
    const bag = parseBoc(answer.transactions, { expectedRoots: answer.ids.length })
    let expected: Pick<typeof from, 'lt' | 'hash'> = from
    const transactions: ListedTransaction[] = bag.roots.map((root, i) => {
      const hash = bag.hash(root)
      prove(hash.equals(expected.hash), subject, `transaction ${i} is not the expected one`)
      const slice = bag.slice(root).skip(4 + 256)
      const lt = slice.loadUintBig(64)
      prove(lt === expected.lt, subject, `transaction ${i} has another lt`)
      const previousHash = slice.loadBytes(32)
      expected = { hash: previousHash, lt: slice.loadUintBig(64) }
      return { block: answer.ids[i] as BlockId, hash, lt, root }
    })
    return { bag, transactions }
  })
}
