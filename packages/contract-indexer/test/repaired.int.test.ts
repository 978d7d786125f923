import { BatchSink, deriveTokenEvents, type EncodedBatch, encodeBatch, tableChecksums } from '@shardwalk/db'
import type { Batch } from '@shardwalk/model'
import { fixtureChain, type ScratchDatabase } from '@shardwalk/testkit'
import {
  checksumsOfExamined,
  examinedChain,
  RecordedNetwork,
  recordedBatches,
  refreshAll,
} from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'

let network: RecordedNetwork
let scratch: ScratchDatabase

beforeAll(async () => {
  network = await RecordedNetwork.open()
  scratch = await examinedChain()
})
afterAll(async () => {
  await scratch.close()
  await network.close()
})

/** After the whole chain. */
const LATER = 1n << 40n
const isLt = (key: string) => /^(lt|createdLt|startLt|endLt|prevTransLt)$/.test(key)
/** Of cells of which only the hash is known. */
const isNamed = (key: string) => /^(hash|hashNorm|rootHash|fileHash)$/.test(key)

/** The batch as a dishonest server could have made it: all of it happened long after it did. */
function later(value: unknown, key = ''): unknown {
  if (typeof value === 'bigint') return isLt(key) && value > 0n ? value + LATER : value
  if (Buffer.isBuffer(value)) return isNamed(key) ? Buffer.from(value.map((byte) => byte ^ 1)) : value
  if (Array.isArray(value)) return value.map((one) => later(one, key))
  if (value === null || typeof value !== 'object' || value instanceof Map || ArrayBuffer.isView(value))
    return value
  const isAddress = 'workchain' in value && !('seqno' in value)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isAddress ? one : later(one, name)]),
  )
}

async function falseBatch(seqno: number): Promise<EncodedBatch> {
  for await (const { batch, globalVersion } of fixtureChain({ from: seqno, to: seqno }))
    return encodeBatch(later(batch) as Batch, { globalVersion })
  throw new Error(`block ${seqno} is not recorded`)
}

/** Where the cells of a state are held depends on whether a block showed them whole. */
const HELD = ['account_data', 'contract_data']

/** A block with more token events of wallets than any other. */
async function busiestBlock(): Promise<number> {
  const { rows } = await scratch.pool.query<{ seqno: number }>(
    `select t.mc_block_seqno as seqno from jetton_transfers e join transactions t using (account_id, lt)
     join jetton_wallets w using (account_id) group by 1 order by count(*) desc, 1 limit 1`,
  )
  return rows[0]!.seqno
}

const trueBatch = async (seqno: number) =>
  (await recordedBatches({ to: seqno })).filter((one) => one.mcBlockSeqno === seqno)

async function examine(): Promise<void> {
  const refresher = network.refresher(scratch)
  await refreshAll(refresher)
  await refresher.close()
}

test('after a repair of false blocks nothing is left of them in any table', async () => {
  const before = await checksumsOfExamined(scratch)
  const seqno = await busiestBlock()
  const range = { from: seqno, to: seqno }
  const sink = new BatchSink(scratch.pool)
  await sink.repairRange(range, [await falseBatch(seqno)])
  await examine()
  const changed = ['contracts', 'jetton_wallets', 'jetton_transfers', 'latest_account_states']
  for (const [table, checksum] of Object.entries(await checksumsOf(changed)))
    expect(checksum, table).not.toEqual(before[table])

  await sink.repairRange(range, await trueBatch(seqno))
  await examine()
  const after = await checksumsOfExamined(scratch)
  for (const [table, checksum] of Object.entries(before))
    if (!HELD.includes(table)) expect(after[table], table).toEqual(checksum)
  for (const table of [...HELD, 'refresh_queue', 'state_parts', 'missing_states']) {
    const found = await scratch.pool.query(`select from ${table} where lt > $1`, [LATER])
    expect(found.rowCount, table).toBe(0)
  }
})

const EVENTS = ['jetton_transfers', 'jetton_burns', 'nft_transfers'] as const

const checksumsOf = async (tables: readonly string[]): Promise<Record<string, unknown>> =>
  Object.fromEntries(await tableChecksums(scratch.db, tables))
const eventsStored = () => checksumsOf(EVENTS)

/** Derives the events of what is queued; `meanwhile` runs when they are read and not yet written. */
function derive(meanwhile: () => Promise<unknown> = async () => {}): Promise<number> {
  const connect = () => meanwhile().then(() => scratch.pool.connect())
  const pool: typeof scratch.pool = Object.assign(Object.create(scratch.pool), { connect })
  return deriveTokenEvents({ db: scratch.db, pool }, { limit: 100 })
}

/** Resolves when this number of sessions waits for a lock. */
const waiting = (count: number) =>
  expect
    .poll(
      async () =>
        (
          await scratch.pool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount,
    )
    .toBe(count)

test('a repair that commits between the reading and the writing of false events leaves none', async () => {
  const before = await eventsStored()
  const seqno = await busiestBlock()
  const range = { from: seqno, to: seqno }
  const sink = new BatchSink(scratch.pool)
  await sink.repairRange(range, [await falseBatch(seqno)])
  const truth = await trueBatch(seqno)
  await derive(() => sink.repairRange(range, truth))
  while ((await derive()) > 0);
  expect(await eventsStored()).toEqual(before)
})

test('a repair while false events are being written waits for them and deletes them', async () => {
  const before = await eventsStored()
  const seqno = await busiestBlock()
  const range = { from: seqno, to: seqno }
  const sink = new BatchSink(scratch.pool)
  await sink.repairRange(range, [await falseBatch(seqno)])
  const truth = await trueBatch(seqno)
  const blocker = await scratch.pool.connect()
  await blocker.query('begin; lock table jetton_transfers in share mode')
  const derived = derive()
  await waiting(1)
  const repaired = sink.repairRange(range, truth)
  await waiting(2)
  await blocker.query('commit')
  blocker.release()
  await Promise.all([derived, repaired])
  while ((await derive()) > 0);
  expect(await eventsStored()).toEqual(before)
})

test('an account that only false blocks had is no contract once they are repaired', async () => {
  const { rows } = await scratch.pool.query<{ id: bigint }>(
    `select w.account_id as id from jetton_wallets w join latest_account_states s using (account_id) limit 1`,
  )
  const { id } = rows[0]!
  await scratch.pool.query('delete from transactions where account_id = $1', [id])
  await scratch.pool.query('delete from latest_account_states where account_id = $1', [id])
  await scratch.pool.query('update contracts set lt = 0 where account_id = $1', [id])
  await scratch.pool.query('update jetton_wallets set lt = 0 where account_id = $1', [id])
  await scratch.pool.query('insert into refresh_queue (account_id, lt) values ($1, 0)', [id])
  await examine()
  for (const table of ['contracts', 'jetton_wallets', 'former_contracts', 'refresh_queue'])
    expect(
      (await scratch.pool.query(`select from ${table} where account_id = $1`, [id])).rowCount,
      table,
    ).toBe(0)
})
