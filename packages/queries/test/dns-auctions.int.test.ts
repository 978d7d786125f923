import type { AccountId } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { commitGroups, inGroups, recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findIndexedEnds, listDnsAuctions } from '../src/index.ts'

const BIDDER = 1n as AccountId
const OTHER = 2n as AccountId

let scratch: ScratchDatabase
let now: bigint
beforeAll(async () => {
  scratch = await scratchDatabase()
  await commitGroups(scratch, inGroups(await recordedBatches({ to: 1 }), 1))
  now = BigInt((await findIndexedEnds(scratch.db))!.last.gen_utime)
  const domain = (account_id: bigint, bidder_id: AccountId | null, endTime: bigint | null) => ({
    ...{ account_id, lt: 1n, domain: `${account_id}.ton`, bidder_id, auction_end_time: endTime },
    bid: bidder_id && '5',
  })
  await scratch.db
    .insertInto('dns_entries')
    .values([
      domain(10n, BIDDER, now + 1n),
      domain(11n, BIDDER, now),
      domain(12n, BIDDER, now - 5n),
      domain(13n, BIDDER, now - 5n),
      domain(14n, OTHER, now - 5n),
      domain(15n, null, null),
    ] as never)
    .execute()
})
afterAll(() => scratch?.close())

const idsOf = async (state: 'all' | 'won' | 'bidding', limit = 10, cursor?: string) => {
  const { rows, next } = await listDnsAuctions(
    scratch.db,
    { bidderId: BIDDER, state },
    { limit, offset: 0, cursor },
  )
  return { ids: rows.map((row) => [row.account_id, row.isOver]), next }
}

test('auctions of a bidder are listed by their end, over ones at the time of the newest block', async () => {
  const won = [
    [12n, true],
    [13n, true],
    [11n, true],
  ]
  expect((await idsOf('all')).ids).toEqual([...won, [10n, false]])
  expect((await idsOf('won')).ids).toEqual(won)
  expect((await idsOf('bidding')).ids).toEqual([[10n, false]])
})

test('a cursor goes on between auctions that end at the same time', async () => {
  const first = await idsOf('all', 1)
  const second = await idsOf('all', 2, first.next)
  const third = await idsOf('all', 2, second.next)
  expect([first, second, third].map(({ ids }) => ids.map(([id]) => id))).toEqual([[12n], [13n, 11n], [10n]])
  expect(third.next).toBeUndefined()
})
