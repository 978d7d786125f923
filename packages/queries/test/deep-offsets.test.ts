import type { Db } from '@shardwalk/db'
import { describe, expect, test } from 'vitest'
import { listMessages, listTraces, listTransactions, MAX_HELD_OFFSET, OffsetTooLarge } from '../src/index.ts'

/** Who asks it for anything fails with another error. */
const noDatabase = undefined as unknown as Db
const page = { limit: 1, offset: MAX_HELD_OFFSET + 1, sort: 'desc' } as const
const time = { from: 1 }

describe('lists that are put together here refuse to skip more rows than can be held', () => {
  test('transactions of several accounts', async () => {
    const several = listTransactions(noDatabase, { accounts: [1n, 2n] }, page)
    await expect(several).rejects.toThrow(OffsetTooLarge)
  })

  test('transactions of a shard', async () => {
    const ofShard = listTransactions(noDatabase, { workchain: 0, shard: 1n << 62n }, page)
    await expect(ofShard).rejects.toThrow(OffsetTooLarge)
  })

  test('messages from one account to another, by lt and by time', async () => {
    const crossed = { source: 1n, destination: 2n }
    await expect(listMessages(noDatabase, crossed, page)).rejects.toThrow(OffsetTooLarge)
    await expect(listMessages(noDatabase, { ...crossed, time }, page)).rejects.toThrow(OffsetTooLarge)
  })

  test('traces of an account', async () => {
    await expect(listTraces(noDatabase, { account: 1n }, page)).rejects.toThrow(OffsetTooLarge)
  })
})
