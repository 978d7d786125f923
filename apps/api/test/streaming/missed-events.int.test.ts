import { waitFor } from '@shardwalk/testkit'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Json } from '../client.ts'
import { MovingChain, type StreamingApi, startStreaming } from './moving-chain.ts'
import { SseClient } from './stream-clients.ts'

const HEAD = 300

let chain: MovingChain
/** Has sent nothing of the blocks that are indexed: it starts at the head. */
let api: StreamingApi

beforeAll(async () => {
  chain = await MovingChain.open()
  await chain.moveTo(HEAD)
  api = await startStreaming(chain.scratch, { streaming: { pool: chain.scratch.pool, beatMs: 10 } })
  await waitFor('the head', () => api.streams.follower.position === HEAD)
})
afterAll(async () => {
  await api?.close()
  await chain?.close()
})

const opened: SseClient[] = []
afterEach(async () => {
  for (const client of opened.splice(0)) client.close()
  await waitFor('no connection', () => api.streams.hub.subscribers.count === 0)
})

const query = async (text: string, values: unknown[] = []) =>
  (await chain.scratch.pool.query(text, values)).rows

/** Resumes, and returns when what was missed has been sent. */
async function resume(body: object): Promise<SseClient> {
  const client = await SseClient.open(`${api.url}/api/streaming/v2/sse`, body)
  opened.push(client)
  await waitFor('the first frame', () => client.frames[0])
  await waitFor('what was missed', () => [...subscribers()].every(({ outbox }) => !outbox.isBehind))
  return client
}

const subscribers = () => api.streams.hub.subscribers

const comments = ({ frames }: SseClient) => frames.filter(({ isComment }) => isComment)

/** Two keep-alives; returns the last block that they name. */
async function positionOf(client: SseClient): Promise<string | undefined> {
  const { length } = comments(client)
  await waitFor('keep-alives', () => comments(client).length >= length + 2)
  return comments(client).at(-1)!.id
}

const RAW = "a.workchain || ':' || upper(encode(a.address, 'hex'))"

/** The trace is as before it was classified; returns how to classify it. */
async function unclassify(id: Buffer): Promise<() => Promise<void>> {
  const ofAccounts = '(trace_end_lt, trace_bytes) in (select trace_end_lt, substr(trace_id, 1, 7) from kept)'
  await query('drop table if exists kept, kept_accounts')
  await query(`create table kept as select * from actions where trace_id = '\\x${id.toString('hex')}'`)
  await query(`create table kept_accounts as select * from action_accounts where ${ofAccounts}`)
  await query(`delete from action_accounts where ${ofAccounts}`)
  await query('delete from actions where trace_id = $1', [id])
  await query(
    `insert into unclassified_traces (trace_id, end_lt)
     select trace_id, end_lt from traces where trace_id = $1`,
    [id],
  )
  return async () => {
    await query('insert into actions select * from kept')
    await query('insert into action_accounts select * from kept_accounts')
    await query('delete from unclassified_traces where trace_id = $1', [id])
  }
}

test('actions that were not classified when their client came back are sent when they are', async () => {
  const [row] = await query(
    `select r.trace_id, r.mc_seqno_end as seqno, ${RAW} as raw,
       encode(coalesce(r.external_hash_norm, r.external_hash), 'base64') as key
     from traces r join actions c on c.trace_id = r.trace_id
     join accounts a on a.id = any(account_ids_in(c.account_ids))
     where r.state = 0 and r.mc_seqno_end <= $1 order by r.mc_seqno_end desc, r.trace_id limit 1`,
    [HEAD],
  )
  const { trace_id, seqno, raw, key } = row
  const classify = await unclassify(trace_id)
  const client = await resume({
    ...{ types: ['actions', 'trace'], addresses: [raw], trace_external_hash_norms: [key] },
    resume_from: seqno - 1,
  })
  const received = () =>
    client.events
      .filter(({ trace_external_hash_norm }) => trace_external_hash_norm === key)
      .map(({ type }) => type)
  expect(await positionOf(client)).toBeUndefined()
  expect(received()).toEqual([])
  await classify()
  await waitFor('the actions', () => received().length === 2)
  expect(received().sort()).toEqual(['actions', 'trace'])
  expect(await positionOf(client)).toBe(String(HEAD))
})

test('balances that were not examined when their client came back are sent when they are', async () => {
  const [row] = await query(
    `select w.account_id as id, w.lt, t.mc_block_seqno as seqno, ${RAW} as raw
     from transactions t join jetton_wallets w on w.account_id = t.account_id and w.lt = t.lt
     join contracts c on c.account_id = w.account_id and c.lt = w.lt join accounts a on a.id = w.owner_id
     where t.mc_block_seqno <= $1 order by w.lt desc limit 1`,
    [HEAD],
  )
  const { id, lt, seqno, raw } = row
  await query('drop table if exists kept_wallet')
  await query(`create table kept_wallet as select * from jetton_wallets where account_id = ${id}`)
  await query('delete from jetton_wallets where account_id = $1', [id])
  await query('update contracts set lt = lt - 1 where account_id = $1', [id])
  await query('insert into refresh_queue (account_id, lt) values ($1, $2)', [id, lt])
  const client = await resume({ types: ['jettons_change'], addresses: [raw], resume_from: seqno - 1 })
  const received = () =>
    client.events.filter(({ jetton }) => (jetton as Json)['last_transaction_lt'] === String(lt))
  expect(await positionOf(client)).toBeUndefined()
  expect(received()).toEqual([])
  await query('insert into jetton_wallets overriding system value select * from kept_wallet')
  await query('update contracts set lt = lt + 1 where account_id = $1', [id])
  await query('delete from refresh_queue where account_id = $1', [id])
  await waitFor('the balance', () => received()[0])
  expect(await positionOf(client)).toBe(String(HEAD))
})

test('a client that resumes while nothing is late is as far as the others', async () => {
  const [row] = await query(`select ${RAW} as raw from accounts a limit 1`)
  const client = await resume({ types: ['actions'], addresses: [row.raw], resume_from: HEAD - 1 })
  expect(await positionOf(client)).toBe(String(HEAD))
})

/** Copies of the newest action, each of a trace of its own that ended in the same block. */
async function copyAction(count: number) {
  const [newest] = await query(
    `select c.*, a.trace_mc_seqno_end as seqno, a.action_id, i.workchain || ':' ||
       upper(encode(i.address, 'hex')) as raw
     from action_accounts c join actions a on a.trace_end_lt = c.trace_end_lt
       and substr(a.trace_id, 1, 7) = c.trace_bytes
       and position(substr(a.action_id, 1, 7) in c.action_bytes) > 0
     join accounts i on i.id = c.account_id
     where a.trace_mc_seqno_end <= $1 order by a.trace_mc_seqno_end desc, c.account_id limit 1`,
    [HEAD],
  )
  const { account_id, action_id, seqno, raw } = newest
  const id = "decode(md5(n::text) || md5(n::text), 'hex')"
  await query('drop table if exists copies, copied_accounts')
  await query(
    `create table copies as select a.*, ${id} as id from actions a, generate_series(1, ${count}) n
     where a.action_id = '\\x${action_id.toString('hex')}'`,
  )
  await query(
    `create table copied_accounts as select c.*, k.id from copies k join action_accounts c
     on c.trace_end_lt = k.trace_end_lt and c.trace_bytes = substr(k.trace_id, 1, 7)
       and c.account_id = ${account_id}`,
  )
  await query('update copies set trace_id = id, tx_hashes = tx_hashes_of(trace_id, tx_hashes)')
  await query(
    'update copied_accounts set trace_bytes = substr(id, 1, 7), action_bytes = substr($1::bytea, 1, 7)',
    [action_id],
  )
  await query('alter table copies drop column id; alter table copied_accounts drop column id')
  await query('insert into actions select * from copies')
  await query('insert into action_accounts select * from copied_accounts')
  return { raw, seqno }
}

/** Those that came before a keep-alive. */
async function errorsOf(client: SseClient): Promise<unknown[]> {
  await positionOf(client)
  return client.frames.filter(({ event }) => event === 'error').map(({ data }) => data!['error'])
}

test('who missed the actions of too many traces gets a notice, who saw them before none', async () => {
  const { raw, seqno } = await copyAction(1001)
  const wanted = { types: ['actions'], addresses: [raw] }
  const far = await resume({ ...wanted, resume_from: seqno - 1 })
  expect(await errorsOf(far)).toEqual([`too much has happened since ${seqno - 1}: read it from /api/v3`])
  const near = await resume({ ...wanted, resume_from: seqno })
  expect(await errorsOf(near)).toEqual([])
})

test('what was late when the last client left is not sent to the next one', async () => {
  const [row] = await query(
    `select r.trace_id, r.mc_seqno_end as seqno, ${RAW} as raw
     from traces r join actions c on c.trace_id = r.trace_id
     join accounts a on a.id = any(account_ids_in(c.account_ids))
     where r.state = 0 and r.mc_seqno_end > $1 order by r.mc_seqno_end, r.trace_id limit 1`,
    [HEAD],
  )
  const { trace_id, seqno, raw } = row
  const classify = await unclassify(trace_id)
  const wanted = { types: ['actions'], addresses: [raw] }
  const first = await resume(wanted)
  await chain.moveTo(seqno)
  await waitFor('the block', () => api.streams.follower.position === seqno)
  first.close()
  await waitFor('no connection', () => subscribers().count === 0)
  await chain.moveTo(seqno + 1)
  await waitFor('the next block', () => api.streams.follower.position === seqno + 1)
  const next = await resume(wanted)
  expect(next.frames[0]!.id).toBe(String(seqno + 1))
  await classify()
  expect(await positionOf(next)).toBe(String(seqno + 1))
  expect(next.events).toEqual([])
})

test('a wallet that was destroyed and examined before its block is sent holds nothing', async () => {
  const head = api.streams.follower.position!
  const [row] = await query(
    `select w.account_id as id, w.owner_id, w.jetton_id, t.lt, t.prev_trans_lt as before,
       t.mc_block_seqno as seqno, ${RAW} as raw
     from transactions t join jetton_wallets w on w.account_id = t.account_id and w.lt = t.lt
     join accounts a on a.id = w.owner_id
     where t.mc_block_seqno > $1 order by t.lt limit 1`,
    [head],
  )
  const { id, owner_id, jetton_id, lt, before, seqno, raw } = row
  await query('delete from jetton_wallets where account_id = $1', [id])
  await query(
    'insert into former_contracts (account_id, lt, jetton_id, wallet_owner_id) values ($1, $2, $3, $4)',
    [id, before, jetton_id, owner_id],
  )
  const client = await resume({ types: ['jettons_change'], addresses: [raw] })
  await chain.moveTo(seqno)
  const received = () => client.events.map(({ jetton }) => jetton as Json)
  await waitFor('the end of the wallet', () =>
    received().find((jetton) => jetton['last_transaction_lt'] === String(lt) && jetton['balance'] === '0'),
  )
})

test('the reader is well while it sends many blocks, however long that takes', async () => {
  const { hub, follower } = api.streams
  const head = follower.position!
  const rows = await query(
    `select distinct ${RAW} as raw from transactions t join accounts a on a.id = t.account_id
     where t.mc_block_seqno between $1 + 1 and $1 + 20`,
    [head],
  )
  await resume({ types: ['account_state_change'], addresses: rows.map(({ raw }) => raw) })
  const looks = new Set<number>()
  const noted = vi.spyOn(hub, 'publish').mockImplementation(async () => void looks.add(follower.polledAt))
  try {
    await chain.moveTo(head + 20)
    await waitFor('the last block', () => follower.position === head + 20)
  } finally {
    noted.mockRestore()
  }
  expect(looks.size).toBeGreaterThan(5)
})

test('who resumes while many blocks are sent waits for one of them, not for all', async () => {
  const { hub, follower } = api.streams
  const head = follower.position!
  const [row] = await query(
    `select ${RAW} as raw from transactions t join accounts a on a.id = t.account_id
     where t.mc_block_seqno = $1 + 1 limit 1`,
    [head],
  )
  await resume({ types: ['account_state_change'], addresses: [row.raw] })
  let from: number | undefined
  const asked = vi.spyOn(hub, 'publish').mockImplementation(async () => {
    asked.mockRestore()
    follower.inTurn(async () => {
      from = follower.position
    })
  })
  await chain.moveTo(head + 20)
  await waitFor('the last block', () => follower.position === head + 20)
  asked.mockRestore()
  expect(from).toBe(head + 1)
})
