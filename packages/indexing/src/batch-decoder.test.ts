import { ThreadDied } from '@shardwalk/concurrency'
import { formatBlockId } from '@shardwalk/model'
import type { RawBatch } from '@shardwalk/pipeline'
import { generatedChain, withHeaderOnly } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { BatchDecoder } from './batch-decoder.ts'
import type { DecodeRequest, DecodeResult } from './decode-thread.ts'

const step = [...generatedChain({ seed: 8, steps: 4, transactions: 12 })].find(({ shards }) => shards[0])
const batch: RawBatch = {
  mcBlockSeqno: step!.mcSeqno,
  globalVersion: 12,
  masterchain: step!.masterchain.raw,
  shards: step!.shards.map(({ raw }) => raw),
}
const transactions = [...step!.shards, step!.masterchain].flatMap((block) => block.transactions)
const deadly = transactions[3]!

const RESULT: DecodeResult = { encoded: undefined, undecodable: [], unread: [], transactions: 1, blocks: 1 }

/** Threads that die unless the given parts are left out. */
function threads(dies: (request: DecodeRequest) => boolean) {
  const requests: DecodeRequest[] = []
  const run = async (request: DecodeRequest) => {
    requests.push(request)
    if (dies(request)) throw new ThreadDied('a worker thread ended')
    return RESULT
  }
  return { requests, decoder: new BatchDecoder(1, { run, close: async () => {} }) }
}

const leavesOut = ({ without = [] }: DecodeRequest, lt: bigint) =>
  without.some((one) => one.kind === 'transaction' && one.lt === lt)

test('only the transaction that kills threads is left out', async () => {
  const { decoder, requests } = threads((request) => !leavesOut(request, deadly.lt))
  expect(await decoder.decode(batch, { urgent: false })).toMatchObject({ transactions: 1 })
  expect(requests.at(-1)!.without).toMatchObject([
    { kind: 'transaction', lt: deadly.lt, account: deadly.account, reason: 'a worker thread ended' },
  ])
})

test('a batch has the size of its rows, each of which has the whole body of its message', async () => {
  const decoder = new BatchDecoder(1)
  try {
    const { size, encoded } = await decoder.decode(batch, { urgent: false })
    const { transactions: rows, messages, messagesSent } = encoded!
    const least = [rows, messages, messagesSent].reduce((sum, { bytes }) => sum + bytes.length, 0)
    expect(least).toBeGreaterThan(1_000)
    expect(size).toBeGreaterThanOrEqual(least)
  } finally {
    await decoder.close()
  }
})

test('a thread that dies by itself costs another attempt and nothing else', async () => {
  let died = false
  const { decoder, requests } = threads(() => {
    const first = !died
    died = true
    return first
  })
  await decoder.decode(batch, { urgent: false })
  expect(requests).toHaveLength(3)
  expect(requests.at(-1)!.without ?? []).toEqual([])
})

test('a batch that kills threads whatever is left out is stored as bytes', async () => {
  const { decoder } = threads(() => true)
  const decoded = await decoder.decode(batch, { urgent: false })
  expect(decoded.encoded).toBeUndefined()
  expect(decoded.undecodable).toHaveLength(batch.shards.length + 1)
})

test('shard blocks of a masterchain block that cannot be decoded are stored as bytes with it', async () => {
  const masterchain = withHeaderOnly(batch.masterchain)
  const decoder = new BatchDecoder(1)
  const decoded = await decoder.decode({ ...batch, masterchain }, { urgent: false })
  await decoder.close()
  expect(decoded).toMatchObject({ encoded: undefined, transactions: 0, blocks: 0 })
  expect(decoded.undecodable.map(({ id }) => id).sort()).toEqual(
    [masterchain, ...batch.shards].map(({ id }) => formatBlockId(id)).sort(),
  )
  expect(batch.shards.length).toBeGreaterThan(0)
})

test('blocks whose key block cannot be decoded have all their rows', async () => {
  const decoder = new BatchDecoder(1)
  const decoded = await decoder.decode({ ...batch, globalVersion: undefined }, { urgent: false })
  const known = await decoder.decode(batch, { urgent: false })
  await decoder.close()
  expect(decoded).toMatchObject({ transactions: transactions.length, blocks: batch.shards.length + 1 })
  expect([decoded.undecodable, decoded.unread]).toEqual([[], []])
  expect(decoded.encoded!.transactions).toEqual(known.encoded!.transactions)
  expect(decoded.encoded!.messages.rows).toBe(known.encoded!.messages.rows)
})
