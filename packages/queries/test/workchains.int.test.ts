import { decodeBlock } from '@shardwalk/blocks'
import { BatchSink, encodeBatch } from '@shardwalk/db'
import { shardToSigned } from '@shardwalk/model'
import { generatedChain, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  blocksOfShardState,
  listTransactions,
  listTransactionsOfBlocks,
  type TransactionFilter,
  type TransactionRow,
} from '../src/index.ts'

const WORKCHAINS = [0, 5, -128]
const generated = (workchains: readonly number[]) => [
  ...generatedChain({ seed: 52, steps: 6, workchains, accounts: 60, transactions: 12, splits: 0.1 }),
]
const steps = generated(WORKCHAINS)
const PAGE = { sort: 'asc', limit: 1000, offset: 0 } as const

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
  await index(steps, scratch)
  // As on a real chain, where shards make blocks at the same time.
  await scratch.pool.query(
    `update blocks b set start_lt = m.batch_start_lt, end_lt = m.batch_end_lt from blocks m
     where m.workchain = -1 and m.seqno = b.mc_block_seqno and b.workchain <> -1`,
  )
})
afterAll(() => scratch?.close())

async function index(chain: typeof steps, { pool }: ScratchDatabase): Promise<void> {
  const sink = new BatchSink(pool)
  for (const { masterchain, shards } of chain) {
    const batch = {
      masterchain: decodeBlock(masterchain.raw),
      shards: shards.map(({ raw }) => decodeBlock(raw)),
    }
    await sink.commitBatches([encodeBatch(batch, { globalVersion: 12 })])
  }
}

const blocks = steps.flatMap(({ masterchain, shards }) => [...shards, masterchain])
const hashesOf = (wanted: typeof blocks) =>
  wanted.flatMap(({ transactions }) => transactions.map(({ cell }) => cell.hash().toString('hex'))).sort()
const hashesIn = (rows: readonly TransactionRow[]) => rows.map(({ hash }) => hash.toString('hex')).sort()
const found = async (filter: TransactionFilter) =>
  hashesIn((await listTransactions(scratch.db, filter, PAGE)).rows)

test('transactions of a block are those of its workchain, whichever others there are', async () => {
  for (const block of blocks) {
    const { workchain, shard, seqno } = block.raw.id
    const place = { workchain, shard: shardToSigned(shard) }
    expect(await found({ ...place, seqno })).toEqual(hashesOf([block]))
    const ofShard = blocks.filter(({ raw: { id } }) => id.workchain === workchain && id.shard === shard)
    expect(await found(place)).toEqual(hashesOf(ofShard))
    const alike = blocks.filter(({ raw: { id } }) => id.shard === shard)
    expect(await found({ shard: place.shard })).toEqual(hashesOf(alike))
  }
})

test.each([...WORKCHAINS, -1, 6])('transactions of workchain %i are its own', async (workchain) => {
  expect(await found({ workchain })).toEqual(
    hashesOf(blocks.filter(({ raw: { id } }) => id.workchain === workchain)),
  )
})

test('a workchain that the network has not got has no transactions, whichever shard is named', async () => {
  const usual = await scratchDatabase()
  try {
    const chain = generated([0])
    await index(chain, usual)
    const page = { ...PAGE, limit: 1 }
    for (const { mcSeqno, shards } of chain)
      for (const { raw } of shards) {
        const place = { shard: shardToSigned(raw.id.shard), mcBlockSeqno: mcSeqno }
        const count = async (workchain: number) =>
          (await listTransactions(usual.db, { ...place, workchain }, page)).rows.length
        expect([await count(0), await count(5), await count(-5)]).toEqual([1, 0, 0])
      }
  } finally {
    await usual.close()
  }
})

test('each transaction of a shard state is listed once', async () => {
  for (const { mcSeqno } of steps) {
    const state = await blocksOfShardState(scratch.db, mcSeqno)
    const { rows } = await listTransactionsOfBlocks(scratch.db, state, PAGE)
    const isIn = ({ raw: { id } }: (typeof blocks)[number]) =>
      state.some(
        (one) =>
          one.workchain === id.workchain && one.shard === shardToSigned(id.shard) && one.seqno === id.seqno,
      )
    expect(hashesIn(rows)).toEqual(hashesOf(blocks.filter(isIn)))
  }
})
