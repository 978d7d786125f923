import { HeadFollowedMark } from '@shardwalk/db'
import { type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { Client, type Json } from './client.ts'

/** An API without lite servers: what it knows of single accounts and traces, it knows from the index. */
let scratch: ScratchDatabase
let client: Client
let ingest: HeadFollowedMark
const query = (text: string) => scratch.pool.query(text)

beforeAll(async () => {
  scratch = await sampleChainDatabase()
  client = await Client.start(scratch)
  ingest = new HeadFollowedMark(scratch.pool)
})
beforeEach(async () => {
  await ingest.set(true)
  await query('truncate ingest_status')
  await query(
    'insert into ingest_status (id, head_seqno, first_seqno, reported_at) values (1, 529, 1, now())',
  )
})
afterAll(async () => {
  await client?.close()
  await ingest?.close()
  await scratch?.close()
})

const GIVER = '0:E46A3418FC55D04233556C7147ED1C8EFCE8BB25778C4748F3F0053B0EBA7225'
const NO_WALLET = '0:52809CC3529E8BA5DB81EDCABAF9F565D9BEC3AB7891B4C2C208C3060C31D5B3'
const ENDED = '0:C2F2BE752B374F6AA3A07B08C69362758AB9575344166E3C1C68F3874C88A4A7'
const NO_SERVERS = 542

const states = async (address: string) =>
  ((await client.get('accountStates', { address })).body['accounts'] as Json[])[0]!

test('addressInformation and its alias say what accountStates says', async () => {
  const state = await states(GIVER)
  for (const name of ['addressInformation', 'account'])
    expect((await client.get(name, { address: GIVER })).body).toEqual({
      balance: state['balance'],
      code: state['code_boc'],
      data: state['data_boc'],
      last_transaction_lt: state['last_transaction_lt'],
      last_transaction_hash: state['last_transaction_hash'],
      frozen_hash: null,
      status: 'active',
    })
})

test('walletInformation knows wallets and refuses others', async () => {
  const { body } = await client.get('walletInformation', { address: GIVER })
  expect(body).toMatchObject({
    wallet_type: 'wallet v3 r1',
    seqno: 1,
    wallet_id: 698983191,
    status: 'active',
  })
  expect((await client.get('wallet', { address: NO_WALLET })).status).toBe(409)
})

test('an account that ended has its last transaction, and is no wallet', async () => {
  const state = await states(ENDED)
  const body = (await client.get('addressInformation', { address: ENDED })).body
  expect(body).toEqual({
    ...{ balance: '0', code: null, data: null, frozen_hash: null, status: 'nonexist' },
    last_transaction_lt: state['last_transaction_lt'],
    last_transaction_hash: state['last_transaction_hash'],
  })
  expect(body['last_transaction_lt']).not.toBe('0')
  expect((await client.get('walletInformation', { address: ENDED })).status).toBe(409)
})

test.each([
  ['the index is far behind the head', 'update ingest_status set head_seqno = 5000'],
  ['ingest has not reported the head', 'truncate ingest_status'],
  ['code is not known', 'delete from codes'],
])('a lite server is asked when %s', async (_reason, change) => {
  await query('create table kept as table codes')
  await query(change)
  expect((await client.get('addressInformation', { address: GIVER })).status).toBe(NO_SERVERS)
  await query('truncate codes')
  await query('insert into codes select * from kept')
  await query('drop table kept')
})

test('a lite server is asked when ingest does not follow the head', async () => {
  await ingest.set(false)
  await expect
    .poll(async () => (await client.get('addressInformation', { address: GIVER })).status, {
      timeout: 30_000,
    })
    .toBe(NO_SERVERS)
})

test('a lite server is asked when blocks may be missing, and with use_v2', async () => {
  expect((await client.get('addressInformation', { address: GIVER, use_v2: true })).status).toBe(NO_SERVERS)
  await query('update indexed_ranges set from_seqno = 529')
  expect((await client.get('addressInformation', { address: GIVER })).status).toBe(NO_SERVERS)
  await query('update indexed_ranges set from_seqno = 1')
  expect((await client.get('addressInformation', { address: GIVER })).status).toBe(200)
})

test('walletStates takes what accountStates takes', async () => {
  const { body } = await client.get('walletStates', { address: GIVER })
  expect((await client.get('walletStates', { address: GIVER, include_boc: false })).body).toEqual(body)
  const code = 'thBBpYp5gLlG6PueGY48kE0keZ/6NldOpCUcQaVm9YE='
  expect((await client.get('walletStates', { address: [GIVER, NO_WALLET], code_hash: code })).body).toEqual(
    body,
  )
})

test('a trace that is not complete is found by its hashes with its state, and is in no list', async () => {
  const [trace] = (await client.get('traces', { limit: 1 })).body['traces'] as { trace_id: string }[]
  const id = Buffer.from(trace!.trace_id, 'base64')
  for (const [state, name] of ['complete', 'pending', 'broken'].entries()) {
    await scratch.pool.query('update traces set state = $1 where trace_id = $2', [state, id])
    for (const asked of [{ trace_id: trace!.trace_id }, { tx_hash: trace!.trace_id }]) {
      const [found] = (await client.get('traces', asked)).body['traces'] as Json[]
      expect(found!['trace_info']).toMatchObject({ trace_state: name })
    }
    const [first] = (await client.get('traces', { limit: 1 })).body['traces'] as Json[]
    expect(first!['trace_id'] === trace!.trace_id).toBe(name === 'complete')
  }
  await scratch.pool.query('update traces set state = 0 where trace_id = $1', [id])
})
