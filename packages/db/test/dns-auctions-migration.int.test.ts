import { examinedChain, RecordedNetwork, refreshAll } from '@shardwalk/testkit/refresh-chain'
import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { up } from '../src/migrations/20261130000000_dns_auctions.ts'

/** And the view that shows them, which is younger. */
const DROP = 'alter table dns_entries drop bidder_id cascade, drop auction_end_time cascade, drop bid cascade'

test('domains that were known before auctions were stored get theirs', async () => {
  const network = await RecordedNetwork.open()
  const scratch = await examinedChain()
  const read = async () => {
    const columns = 'account_id, bidder_id, auction_end_time, bid'
    return (await scratch.pool.query(`select ${columns} from dns_entries order by 1`)).rows
  }
  try {
    const expected = await read()
    expect(expected.filter(({ bid }) => bid !== null).length).toBeGreaterThan(1)
    await scratch.pool.query(DROP)
    await scratch.db.transaction().execute((db) => up(db as unknown as Kysely<unknown>))
    expect((await read()).every(({ bid }) => bid === null)).toBe(true)
    await refreshAll(network.refresher(scratch))
    expect(await read()).toEqual(expected)
  } finally {
    await scratch.close()
    await network.close()
  }
})
