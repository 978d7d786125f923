import type { Batch, DecodedTransaction } from '@shardwalk/model'
import { syntheticChain } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { RowEncodeError } from '../errors.ts'
import { encodeBatch, transferables } from './index.ts'

const chain = syntheticChain({ seed: 42, batches: 20 })
const [first] = chain.map(({ batch }) => batch)

const withFirst = (change: (tx: DecodedTransaction) => Partial<DecodedTransaction>): Batch => {
  const shard = first!.shards[0]!
  const [tx, ...others] = shard.transactions
  return { ...first!, shards: [{ ...shard, transactions: [{ ...tx!, ...change(tx!) }, ...others] }] }
}

test('the same batch gives the same bytes', () => {
  for (const { batch, globalVersion } of chain)
    expect(encodeBatch(batch, { globalVersion })).toEqual(encodeBatch(batch, { globalVersion }))
})

test('each message of a batch is in exactly one of the three lists', () => {
  for (const { batch, globalVersion } of chain) {
    const transactions = [...batch.shards, batch.masterchain].flatMap((block) => block.transactions)
    const hashes = transactions
      .flatMap((tx) => [...(tx.inMsg ? [tx.inMsg] : []), ...tx.outMsgs])
      .map((m) => m.hash)
    const { messages, messagesSent, messagesReceived } = encodeBatch(batch, { globalVersion })
    expect(messages.rows + messagesSent.rows + messagesReceived.rows).toBe(
      new Set(hashes.map((hash) => hash.toString('hex'))).size,
    )
  }
})

test('a batch can be moved to another thread without copying', () => {
  const encoded = encodeBatch(first!, { globalVersion: 11 })
  const sizes = [encoded.transactions.bytes.length, encoded.accounts.ids.length]
  const moved = structuredClone(encoded, { transfer: transferables(encoded) })
  expect([moved.transactions.bytes.length, moved.accounts.ids.length]).toEqual(sizes)
  expect(encoded.transactions.bytes.length).toBe(0)
})

test('an amount that no column can hold is an error that names block and transaction', () => {
  const batch = withFirst(() => ({ totalFees: 1n << 63n }))
  expect(() => encodeBatch(batch, { globalVersion: 11 })).toThrow(RowEncodeError)
  expect(() => encodeBatch(batch, { globalVersion: 11 })).toThrow(
    /block \(0,8000000000000000,1\), transaction 0:/,
  )
})

test('times that a column would take for negative are an error of the block, or of the transaction', () => {
  const [shard] = first!.shards
  const header = { ...shard!.header, genUtime: 2 ** 31 }
  const late = { ...first!, shards: [{ ...shard!, header }] }
  expect(() => encodeBatch(late, { globalVersion: 11 })).toThrow(
    'block (0,8000000000000000,1): gen_utime 2147483648 does not fit its column: 2147483647 at most',
  )
  const batch = withFirst(() => ({ now: 2 ** 31 }))
  expect(() => encodeBatch(batch, { globalVersion: 11 })).toThrow(/transaction 0:.* now 2147483648 does not/)
  const last = withFirst(() => ({ now: 2 ** 31 - 1 }))
  expect(() => encodeBatch(last, { globalVersion: 11 })).not.toThrow()
})

const SEQNOS = [
  'vertSeqno',
  'genCatchainSeqno',
  'minRefMcSeqno',
  'prevKeyBlockSeqno',
  'masterRefSeqno',
] as const

test.each(SEQNOS)('a block whose %s a column would take for negative is an error', (name) => {
  const [shard] = first!.shards
  const encode = (seqno: number) => {
    const header = { ...shard!.header, [name]: seqno }
    return () => encodeBatch({ ...first!, shards: [{ ...shard!, header }] }, { globalVersion: 11 })
  }
  expect(encode(2 ** 31)).toThrow(/_seqno 2147483648 does not fit its column: 2147483647 at most/)
  expect(encode(2 ** 31 - 1)).not.toThrow()
  const none = encode(2 ** 32 - 1)
  if (name === 'minRefMcSeqno') expect(none).not.toThrow()
  else expect(none).toThrow(/4294967295 does not fit/)
})

test('all transactions with amounts that no column can hold are named at once, and no others', () => {
  const shard = chain.find(({ batch }) => batch.shards[0]!.transactions.length > 3)!.batch.shards[0]!
  const transactions = shard.transactions.map((tx, nth) =>
    nth % 2 === 0 ? { ...tx, totalFees: 1n << 63n } : tx,
  )
  const named = () => {
    try {
      encodeBatch({ ...first!, shards: [{ ...shard, transactions }] }, { globalVersion: 11 })
      return []
    } catch (error) {
      return [error as RowEncodeError, ...(error as RowEncodeError).others].map((one) => one.transaction)
    }
  }
  expect(named()).toEqual(transactions.filter((_, nth) => nth % 2 === 0))
})

test('an out message that breaks the natural key is refused', () => {
  const template = chain.flatMap(({ batch }) =>
    batch.shards.flatMap((b) => b.transactions.flatMap((t) => t.outMsgs)),
  )[0]!
  const batch = withFirst((tx) => ({ outMsgs: [{ ...template, source: tx.account, createdLt: tx.lt + 2n }] }))
  expect(() => encodeBatch(batch, { globalVersion: 11 })).toThrow(/created_lt/)
})
