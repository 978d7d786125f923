import { type BlockId, masterchainId, type RawAddress } from '@shardwalk/model'
import { expect, test } from 'vitest'
import type { AskOptions } from '../lite-client.ts'
import type { NodeAccess } from '../node-access.ts'
import { AccountHistory, type HistoryQuery } from './account-history.ts'

const address: RawAddress = { workchain: 0, hash: Buffer.alloc(32, 7) }
const HEAD: BlockId = { ...masterchainId(1000), rootHash: Buffer.alloc(32, 1), fileHash: Buffer.alloc(32, 2) }

/** An account with transactions of lt 1 to 40, of which lite servers give sixteen at a time. */
async function askedWhileReading(query: Partial<HistoryQuery>) {
  const asked: AskOptions[] = []
  const transaction = (lt: bigint) => ({ lt, prevTransLt: lt - 1n, prevTransHash: Buffer.alloc(32) })
  const node = {
    client: { pool: { servers: () => [{ archive: true }] } },
    blocks: { masterchain: async () => HEAD },
    accounts: {
      at: async (_block: BlockId) => ({ lastTransLt: 40n, lastTransHash: Buffer.alloc(32) }),
      transactions: async (
        _: RawAddress,
        { lt, count }: { lt: bigint; count: number },
        options: AskOptions,
      ) => {
        asked.push(options)
        return Array.from({ length: count }, (_, i) => ({ transaction: transaction(lt - BigInt(i)) }))
      },
    },
  } as unknown as NodeAccess
  const history = new AccountHistory(node, { address, limit: 20, toLt: 0n, archive: false, ...query })
  let count = 0
  for await (const _ of history.transactions()) count++
  return { asked, count }
}

test('an account’s newest transactions are asked of servers that have the block with its state', async () => {
  expect(await askedWhileReading({})).toEqual({ asked: [{ mcBlockSeqno: 1000 }, {}], count: 20 })
})

test('transactions from a given one on are asked of any server', async () => {
  const from = { lt: 30n, hash: Buffer.alloc(32) }
  expect(await askedWhileReading({ from, archive: true })).toEqual({
    asked: [{ archive: true }, { archive: true }],
    count: 20,
  })
})
