import { parseBoc } from '@shardwalk/cells'
import type { BlockId } from '@shardwalk/model'
import { prove, proving } from './errors.ts'

/** Fields of `liteServer.transactionList`; `ids[i]` is the block of root i of `transactions`. */
export interface TransactionListAnswer {
  readonly ids: readonly BlockId[]
  readonly transactions: Buffer
}

export interface ListedTransaction {
  readonly block: BlockId
  readonly hash: Buffer
  readonly lt: bigint
  /** Index of the transaction's cell in `bag`. */
  readonly root: number
}

/**
 * Requires that the list starts at transaction (`lt`, `hash`) and that each entry is the predecessor of the
 * one before it. The result is as trustworthy as (`lt`, `hash`). Throws `ProofError`. Source: block.tlb
 * `transaction$0111`.
 */
export function verifyTransactionList(
  answer: TransactionListAnswer,
  from: { readonly lt: bigint; readonly hash: Buffer },
) {
  const subject = `transactions from ${from.lt}`
  return proving(subject, () => {
    if (answer.ids.length === 0) return { bag: undefined, transactions: [] }
    const bag = parseBoc(answer.transactions, { expectedRoots: answer.ids.length })
    let expected = from
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
