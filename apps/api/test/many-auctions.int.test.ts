import { deriveAccountId } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { EXPORT_ROWS } from '../src/http/export-pace.ts'
import { Client, type Json } from './client.ts'

/** More than an export reads at once. */
const AUCTIONS = EXPORT_ROWS + 100
const BIDDER = Buffer.alloc(32, 7)

let scratch: ScratchDatabase
let client: Client
beforeAll(async () => {
  scratch = await scratchDatabase()
  client = await Client.start(scratch, { exportMaxRows: 10 * AUCTIONS })
  const bidder = deriveAccountId({ workchain: 0, hash: BIDDER })
  await scratch.pool.query(
    `insert into accounts (id, workchain, address, activity) select $1::int8, 0, $2::bytea, ''::bytea
     union all select n, 0, sha256(int8send(n)), ''::bytea from generate_series(1, $3::int8) n`,
    [bidder, BIDDER, AUCTIONS],
  )
  await scratch.pool.query(
    `insert into dns_entries (account_id, lt, domain, bidder_id, auction_end_time, bid)
     select n, 1, n || '.ton', $1, 1000 + n, 5 from generate_series(1, $2::int8) n`,
    [bidder, AUCTIONS],
  )
})
afterAll(async () => {
  await client?.close()
  await scratch?.close()
})

test('an export of auctions that begins with `after` has each of the others once', async () => {
  const query = { bidder: `0:${BIDDER.toString('hex')}` }
  const first = await client.get('dns/activeAuctions', { ...query, limit: 1 })
  const after = first.body['next_cursor'] as string
  const reply = await fetch(client.url('dns/activeAuctions', { ...query, after, format: 'ndjson' }))
  const rows = (await reply.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)
  const expected = Array.from({ length: AUCTIONS - 1 }, (_, n) => `${n + 2}.ton`)
  expect(rows.map(({ domain }) => domain)).toEqual(expected)
})
