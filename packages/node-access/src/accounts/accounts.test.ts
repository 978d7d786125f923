import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { masterchainId, type ShardTop } from '@shardwalk/model'
import { rebuildAccount } from '@shardwalk/tlb'
import { expect, test } from 'vitest'
import type { LiteClient } from '../lite-client.ts'
import { Accounts } from './accounts.ts'
import type { ChainIndex } from './chain-index.ts'

const ADDRESS = { workchain: -1, hash: Buffer.alloc(32, 3) }

const NO_SHARDS = { tops: async () => [] }

/** A state with a dictionary of so many entries, as the elector has one. */
function stateOf(entries: number): Cell {
  const data = buildDict(
    Array.from({ length: entries }, (_, n) => [n, new Builder().storeUint(n, 32)] as const),
    32,
  )
  const code = new Builder().endCell()
  return rebuildAccount({
    ...{ address: ADDRESS, status: 'active', lastPaid: 1, storageLt: 1n, balance: 1n },
    ...{ frozenHash: undefined, code, data },
  })
}

/** Accounts of an index that has this state at every block. */
function accountsWith(cell: Cell): Accounts {
  const index = { account: async () => ({ cell, lastTransLt: 1n, lastTransHash: Buffer.alloc(32) }) }
  return new Accounts({} as LiteClient, NO_SHARDS, index as unknown as ChainIndex)
}

test.each([
  ['small ones all', 10, 40],
  ['large ones few', 6_000, 80],
])('of the states that an account had at forty blocks, %s are kept', async (_what, entries, found) => {
  const accounts = accountsWith(stateOf(entries))
  const blocks = Array.from({ length: 40 }, (_, seqno) => ({
    ...masterchainId(seqno),
    rootHash: Buffer.alloc(32, seqno),
    fileHash: Buffer.alloc(32, seqno),
  }))
  for (let round = 0; round < 2; round++) for (const block of blocks) await accounts.cellAt(block, ADDRESS)
  expect(accounts.cellCounts.index).toBe(found)
})

test('accounts of every workchain that the block commits are asked for', async () => {
  const block = { ...masterchainId(5), rootHash: Buffer.alloc(32), fileHash: Buffer.alloc(32) }
  const top = { ...block, workchain: 7 }
  const shards = { tops: async () => [top as unknown as ShardTop] }
  const asked: unknown[] = []
  const ask = async (_name: string, { account }: { account: { workchain: number } }) => {
    asked.push(account.workchain)
  }
  const accounts = new Accounts({ ask } as unknown as LiteClient, shards)
  for (const workchain of [-1, 0, 7]) await accounts.at(block, { ...ADDRESS, workchain })
  expect(asked).toEqual([-1, 0, 7])
  await expect(accounts.at(block, { ...ADDRESS, workchain: 8 })).rejects.toThrow(
    'there is no shard block of workchain 8',
  )
})
