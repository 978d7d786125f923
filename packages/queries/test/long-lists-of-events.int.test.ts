import type { AccountId } from '@shardwalk/model'
import { sampleChainDatabase, scratchDatabase } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import { ALL_LT } from '../src/idiom/index.ts'
import { listBlocks, listJettonTransfers, listTransactionsByMessage } from '../src/index.ts'
import { TouchedPages, vacuum } from './touched-pages.ts'

const { watched, of: pagesOf } = new TouchedPages()

const [BUSY, LOW] = [1n as AccountId, 2n as AccountId]

test('a page of the events of an owner, of any jetton or time, reads a part of them', async () => {
  const chain = await sampleChainDatabase()
  try {
    const { rows } = await chain.pool.query<{ events: number; last: number }>(
      `with added as (
         insert into jetton_transfers (account_id, lt, now, aborted, confirmed, query_id, source_id, amount,
           forward_amount, jetton_id)
         select account_id, lt, now, false, true, 0,
           case abs(hashint8(lt)) % 2 when 0 then ${BUSY} else 1000 + abs(hashint8(lt)) % 3000 end, 1, 1,
           case when abs(hashint8(lt)) % 100 = 1 then ${LOW} else ${BUSY} end
         from transactions
         on conflict do nothing returning now)
       select count(*)::int as events, max(now) as last from added`,
    )
    const { events, last } = rows[0]!
    expect(events).toBeGreaterThan(5_000)
    await vacuum('jetton_transfers', chain.pool)
    for (const time of [{}, { to: last - 60 }]) {
      const list = { lt: ALL_LT, time, ownerIds: [BUSY], direction: 'out' } as const
      const read = () => listJettonTransfers(watched(chain.pool), list, { limit: 5, offset: 0, sort: 'desc' })
      expect((await read()).rows).toHaveLength(5)
      expect(await pagesOf(read, 'jetton_transfers', chain.pool)).toBeLessThan(30)
    }
    // A jetton with few transfers, none of them the owner's.
    const list = { lt: ALL_LT, time: {}, ownerIds: [BUSY], jettonIds: [LOW] }
    const read = () => listJettonTransfers(watched(chain.pool), list, { limit: 5, offset: 0, sort: 'desc' })
    expect((await read()).rows).toEqual([])
    // Besides, 2,000 events of the owner are counted.
    expect(await pagesOf(read, 'rows with ties', chain.pool)).toBeLessThan(60)
    // A wallet with many events that its jetton did not confirm is not counted to its end.
    await chain.pool.query(
      `insert into jetton_transfers (account_id, lt, now, aborted, confirmed, query_id, source_id, amount,
         forward_amount)
       select ${LOW}, lt, 1, false, false, 0, ${LOW}, 1, 1 from generate_series(1, 20000) lt`,
    )
    await vacuum('jetton_transfers', chain.pool)
    const ofWallet = () =>
      listJettonTransfers(
        watched(chain.pool),
        { ...list, walletIds: [LOW] },
        { limit: 5, offset: 0, sort: 'desc' },
      )
    expect(await pagesOf(ofWallet, 'as position', chain.pool)).toBeLessThan(150)
  } finally {
    await chain.close()
  }
})

test('of long lists of events that share none, the one with the fewest near the page is read', async () => {
  const own = await scratchDatabase()
  const { pool } = own
  try {
    // Whichever list the filter names first; the owner has most of the events, which are stored in no order.
    const [jetton, wallet] = [3n as AccountId, 4n as AccountId]
    await pool.query(
      `insert into jetton_transfers (account_id, lt, now, aborted, confirmed, query_id, source_id,
         destination_id, jetton_id, amount, forward_amount)
       select case when i % 10 = 1 then ${wallet} else i end, lt, lt, false, true, 0,
         case when i % 10 = 0 then i else ${BUSY} end, i, case when i % 10 = 0 then ${jetton} else 5 end, 1, 1
       from generate_series(1, 30000) i cross join lateral (select i::int8 * 7919 % 1000003 as lt) x`,
    )
    await vacuum('jetton_transfers', pool)
    const lists = [
      { ownerIds: [BUSY], jettonIds: [jetton] },
      { walletIds: [wallet], ownerIds: [30_001n as AccountId, BUSY], jettonIds: [jetton] },
    ]
    for (const list of lists)
      for (const time of [{}, { from: 1 }])
        for (const sort of ['asc', 'desc'] as const) {
          const filter = { lt: ALL_LT, time, ...list }
          const read = () => listJettonTransfers(watched(pool), filter, { limit: 5, offset: 0, sort })
          expect((await read()).rows).toEqual([])
          const asked = Object.keys(list).join(' ') + JSON.stringify({ time, sort })
          expect(await pagesOf(read, 'jetton_transfers', pool), asked).toBeLessThan(8000)
        }
  } finally {
    await own.close()
  }
})

test('blocks until an old lt are read by it, and none of the later ones', async () => {
  const chain = await sampleChainDatabase()
  const { pool } = chain
  const client = await pool.connect()
  try {
    // As a planner that prefers the order of an index, which it expects to end soon.
    await client.query('set enable_sort = off')
    const { rows: columns } = await pool.query<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_name = 'blocks' and table_schema = current_schema() and is_generated = 'NEVER'`,
    )
    const later = ['seqno', 'start_lt', 'end_lt', 'gen_utime']
    const names = columns.map(({ name }) => name)
    const values = names.map((name) => `x.${name}${later.includes(name) ? ' + n' : ''}`)
    await pool.query(
      `insert into blocks (${names}) select ${values}
       from (select * from blocks where workchain = -1 order by seqno desc limit 1) x,
         generate_series(1, 20000) n`,
    )
    await vacuum('blocks', pool)
    const { rows } = await pool.query<{ lt: bigint }>(
      'select start_lt as lt from blocks order by start_lt offset 500 limit 1',
    )
    for (const sort of ['asc', 'desc'] as const) {
      const at = BigInt(rows[0]!.lt)
      const lt = sort === 'asc' ? { ...ALL_LT, from: at } : { ...ALL_LT, to: at }
      const read = () => listBlocks(watched(pool), { lt }, { limit: 10, offset: 0, sort })
      expect((await read()).rows).toHaveLength(10)
      expect(await pagesOf(read, 'blocks', client), sort).toBeLessThan(200)
    }
  } finally {
    client.release()
    await chain.close()
  }
})

test('a page of transactions by frequent messages, in order of time, reads a part of them', async () => {
  const chain = await sampleChainDatabase()
  try {
    await chain.pool.query('vacuum analyze transactions, messages, blocks')
    for (const sort of ['asc', 'desc'] as const) {
      const read = (cursor?: string) => {
        const filter = { message: {}, among: { time: { from: 1 } } }
        return listTransactionsByMessage(watched(chain.pool), filter, { limit: 5, offset: 0, sort, cursor })
      }
      const { rows, next } = await read()
      expect(rows).toHaveLength(5)
      for (const cursor of [undefined, next]) {
        const pages = await pagesOf(() => read(cursor), 'from transactions t', chain.pool)
        expect(pages).toBeLessThan(300)
      }
    }
  } finally {
    await chain.close()
  }
})
