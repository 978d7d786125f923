import { decodeBlock } from '@shardwalk/blocks'
import { ACCOUNT_STATUS, type Batch, formatRawAddress } from '@shardwalk/model'
import { generatedChain, scratchDatabase } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { BatchSink, encodeBatch } from '../src/index.ts'

// Transactions from before global version 13 say `frozen` of some accounts whose state is `uninit`.
const STEPS = [...generatedChain({ seed: 81, steps: 5, accounts: 24, transactions: 12, rarity: 0.5 })]
const BLOCKS = STEPS.map(({ masterchain, shards }) => [...shards, masterchain])

const batches: readonly Batch[] = STEPS.map(({ masterchain, shards }) => ({
  masterchain: decodeBlock(masterchain.raw),
  shards: shards.map(({ raw }) => decodeBlock(raw)),
}))

const encode = (batch: Batch) => encodeBatch(batch, { globalVersion: 12 })

const withoutTransactions = ({ masterchain, shards }: Batch): Batch => ({
  masterchain: { ...masterchain, transactions: [] },
  shards: shards.map((block) => ({ ...block, transactions: [] })),
})

/** Status by address of the accounts that had transactions up to a step. */
const statusesAfter = (steps: number) =>
  new Map(
    BLOCKS.slice(0, steps)
      .flat()
      .flatMap(({ raw: { id }, states }) =>
        [...states].map(([key, { status }]) => [
          formatRawAddress({ workchain: id.workchain, hash: Buffer.from(key, 'hex') }),
          status,
        ]),
      ),
  )

test('a state that is restored because later blocks were false has its own status', async () => {
  const scratch = await scratchDatabase()
  const sink = new BatchSink(scratch.pool)
  await sink.commitBatches(batches.map(encode))
  const stored = async () => {
    const { rows } = await scratch.pool.query<{ workchain: number; address: Buffer; status: number }>(
      'select workchain, address, status from latest_account_states s join accounts a on a.id = s.account_id',
    )
    return new Map(
      rows.map(({ workchain, address, status }) => [
        formatRawAddress({ workchain, hash: address }),
        ACCOUNT_STATUS[status],
      ]),
    )
  }
  expect(await stored()).toEqual(statusesAfter(STEPS.length))
  const range = { from: 3, to: STEPS.length }
  await sink.repairRange(
    range,
    batches.slice(range.from - 1).map((batch) => encode(withoutTransactions(batch))),
  )
  const restored = await stored()
  const before = statusesAfter(range.from - 1)
  for (const [address, status] of before) expect([address, restored.get(address)]).toEqual([address, status])
  const frozen = BLOCKS.slice(0, range.from - 1)
    .flat()
    .flatMap((block) => block.transactions)
    .filter(
      ({ account, endStatus }) =>
        endStatus === 'frozen' && before.get(formatRawAddress(account)) === 'uninit',
    )
  expect(frozen.length).toBeGreaterThan(0)
  await scratch.close()
})
