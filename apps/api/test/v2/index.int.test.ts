import { findSentMessage, insertSentMessage, rememberKeyBlocks, trimSentMessages } from '@shardwalk/db'
import { Recording } from '@shardwalk/sources'
import {
  FIXTURE_CHAIN_FOLDER,
  fixtureChain,
  randomFrom,
  type ScratchDatabase,
  sampleChainDatabase,
} from '@shardwalk/testkit'
import { isLong, randomCases, testSeed } from '@shardwalk/testkit/runs'
import { Address, beginCell, Cell, external, loadTransaction, storeMessage } from '@ton/core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

const WALLET = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'
const HEAD = 529

type Json = Record<string, unknown>

let scratch: ScratchDatabase
/** One lite server, with the whole chain indexed. */
let shared: RunningApi
/** The API under test. */
let api: RunningApi
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  shared = await startApi(undefined, { db: scratch.db })
  api = shared
  await warmUp(api)
})
afterEach(async () => {
  if (api !== shared) await api.close()
  api = shared
})
afterAll(async () => {
  await shared?.close()
  await scratch.close()
})

const start = async (servers?: Parameters<typeof startApi>[0]) => {
  api = await startApi(servers, { db: scratch.db, requestDeadlineMs: 10_000 })
}

async function v2<T = Json>(name: string, params: object): Promise<T> {
  const reply = await fetch(`${api.base}/jsonRPC`, {
    method: 'POST',
    body: JSON.stringify({ method: name, params }),
  })
  const body = (await reply.json()) as { ok: boolean; result: T; error?: string }
  if (!body.ok) throw new Error(`${name} ${JSON.stringify(params)}: ${body.error}`)
  return body.result
}

async function v3<T>(path: string, query: Record<string, string>): Promise<T[]> {
  const reply = await fetch(`${api.base.replace('/v2', '/v3')}/${path}?${new URLSearchParams(query)}`)
  const body = (await reply.json()) as Record<string, T[]>
  if (reply.status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
  return body[path === 'messages' ? 'messages' : 'transactions']!
}

interface V2Transaction {
  readonly data: string
  readonly transaction_id: { readonly lt: string; readonly hash: string }
  readonly in_msg: { readonly hash: string }
}

interface External {
  readonly account: string
  readonly lt: string
  readonly hash: string
  readonly normalised: string
  readonly message: string
  readonly out: readonly Out[]
}

/** Transactions started by external messages; one in `every` is examined. */
async function* externals(
  every: number,
  range: { from?: number; to?: number } = {},
): AsyncGenerator<External> {
  let count = 0
  for await (const { batch } of fixtureChain(range))
    for (const { transactions } of [...batch.shards, batch.masterchain])
      for (const { account, lt, hash, inMsg, outMsgs } of transactions) {
        if (inMsg?.kind !== 'external_in' || count++ % every !== 0) continue
        const raw = `${account.workchain}:${account.hash.toString('hex')}`
        yield {
          account: raw,
          lt: String(lt),
          hash: hash.toString('base64'),
          message: inMsg.hash.toString('base64'),
          normalised: (inMsg.hashNorm ?? inMsg.hash).toString('base64'),
          out: outMsgs.flatMap(({ kind, destination, createdLt }) =>
            kind === 'internal' && destination
              ? [
                  {
                    destination: `${destination.workchain}:${destination.hash.toString('hex')}`,
                    createdLt: String(createdLt),
                  },
                ]
              : [],
          ),
        }
      }
}
interface Out {
  readonly destination: string
  readonly createdLt: string
}

/** Source: TEP-467, implemented a second time: no source, no fee, no state-init, body in a reference. */
function normalisedHash(data: string): string {
  const { inMessage } = loadTransaction(Cell.fromBase64(data).beginParse())
  if (inMessage?.info.type !== 'external-in') throw new Error('not started by an external message')
  const plain = external({ to: inMessage.info.dest, body: inMessage.body })
  return beginCell()
    .store(storeMessage(plain, { forceRef: true }))
    .endCell()
    .hash()
    .toString('base64')
}

test('a message on the chain is found by its normalised hash in every method', async () => {
  const sample: External[] = []
  for await (const one of isLong ? externals(61) : externals(30, { from: 150, to: 330 })) sample.push(one)
  expect(sample.length).toBeGreaterThan(isLong ? 10 : 5)
  let followed = 0
  for (const { account, lt, hash, normalised, message, out } of sample) {
    const [transaction] = await v2<V2Transaction[]>('getTransactions', {
      address: account,
      lt,
      hash,
      limit: 1,
    })
    expect(transaction).toMatchObject({ transaction_id: { lt, hash }, in_msg: { hash: message } })
    expect(normalisedHash(transaction!.data)).toBe(normalised)
    // A message may have been received several times: it is listed once, with all its transactions.
    for (const msg_hash of [normalised, message]) {
      const transactions = await v3<Json>('transactionsByMessage', { msg_hash, limit: '1000' })
      expect(transactions).toContainEqual(expect.objectContaining({ hash, lt }))
      const messages = await v3<Json>('messages', { msg_hash, limit: '1000' })
      expect(messages.length).toBeGreaterThan(0)
      for (const found of messages) {
        expect([found['hash'], found['hash_norm']]).toContain(msg_hash)
        expect(transactions.map((one) => one['hash'])).toContain(found['in_msg_tx_hash'])
      }
    }
    for (const { destination, createdLt } of out.slice(0, 1)) {
      const query = { source: account, destination, created_lt: createdLt }
      const source = await v2<V2Transaction>('tryLocateSourceTx', query)
      expect(source.transaction_id).toMatchObject({ lt, hash })
      const result = await v2<V2Transaction>('tryLocateResultTx', query)
      const [indexed] = await v3<{ in_msg: { hash: string } }>('transactionsByMessage', {
        msg_hash: result.in_msg.hash,
        direction: 'in',
      })
      expect(indexed).toMatchObject({ hash: result.transaction_id.hash, in_msg: { created_lt: createdLt } })
      expect((await v2<V2Transaction>('tryLocateTx', query)).transaction_id).toEqual(result.transaction_id)
      followed++
    }
  }
  expect(followed).toBeGreaterThan(isLong ? 5 : 2)
})

test('tryLocate uses the index, and without one finds the same in the blocks', async () => {
  let answered: External | undefined
  for await (const one of externals(1)) {
    answered = one
    if (one.out.length > 0) break
  }
  const { account, out } = answered!
  const query = { source: account, destination: out[0]!.destination, created_lt: out[0]!.createdLt }
  const names = ['tryLocateTx', 'tryLocateResultTx', 'tryLocateSourceTx']
  const ask = () => Promise.all(names.map((name) => v2<V2Transaction>(name, query)))
  const blocks = () => api.replays[0]!.queryCounts.get('liteServer.getBlock') ?? 0
  const before = blocks()
  const byIndex = await ask()
  expect(blocks()).toBe(before)
  api = await startApi()
  expect(await ask()).toEqual(byIndex)
  expect(blocks()).toBeGreaterThan(0)
})

describe('at a block at least as new as the newest indexed one', () => {
  const methods: readonly (readonly [string, object, (result: Json) => unknown])[] = [
    ['getMasterchainInfo', {}, ({ last }) => (last as Json)['seqno']],
    ['getAddressInformation', { address: WALLET }, ({ block_id }) => (block_id as Json)['seqno']],
    ['getExtendedAddressInformation', { address: WALLET }, ({ block_id }) => (block_id as Json)['seqno']],
    [
      'runGetMethod',
      { address: WALLET, method: 'seqno', stack: [] },
      ({ block_id }) => (block_id as Json)['seqno'],
    ],
    ['lookupBlock', { workchain: -1, shard: '-9223372036854775808' }, ({ seqno }) => seqno],
  ]

  test('a server that is behind is waited for; if it stays behind the reply is 504', async () => {
    await start([{ startSeqno: HEAD - 50 }])
    // Computes in advance what the server will be asked for: that is slow and not what this test measures.
    const { chain } = api.replays[0]!
    for (const id of [chain.masterchain(HEAD).id, ...chain.shardTops(HEAD)]) await chain.state(id)
    await expect(v2('getAddressBalance', { address: WALLET })).rejects.toThrow('LITE_SERVER_NETWORK timeout')
    expect(api.pool.head()?.seqno).toBe(HEAD - 50)
    let answered = 0
    const count = <T>(reply: Promise<T>) => reply.finally(() => answered++)
    const waiting = methods.map(([name, params]) => count(v2(name, params)))
    await expect(v2('detectHash', { hash: '00'.repeat(32) })).resolves.toBeDefined()
    expect(answered).toBe(0)
    api.replays[0]!.setHead(HEAD)
    const replies = await Promise.all(waiting)
    expect(replies.map((reply, i) => methods[i]![2](reply))).toEqual(methods.map(() => HEAD))
  })

  test('a single server that is behind never makes a reply outdated', async () => {
    await start([{ startSeqno: HEAD - 50 }, {}])
    await warmUp(api)
    for (let round = 0; round < (isLong ? 4 : 2); round++)
      for (const [name, params, seqnoOf] of methods) expect(seqnoOf(await v2(name, params)), name).toBe(HEAD)
  })

  test('a request for an older block is answered as of that block', async () => {
    const result = await v2<Json>('runGetMethod', { address: WALLET, method: 'seqno', stack: [], seqno: 300 })
    expect(result['block_id']).toMatchObject({ seqno: 300 })
    const before = await v2<Json>('getAddressInformation', { address: WALLET, seqno: 300 })
    expect(before['block_id']).toMatchObject({ seqno: 300 })
    // The wallet's seqno is the first 32 bits of its data.
    const data = Cell.fromBase64(before['data'] as string).beginParse()
    expect(result['stack']).toEqual([['num', `0x${data.loadUint(32).toString(16)}`]])
  })

  test('balances of the index at random past blocks are those of states that a server proves', async () => {
    const random = randomFrom(testSeed())
    const { rows } = await scratch.pool.query<{ address: string }>(
      `select analytics.address_text(workchain, address) as address from accounts a
       where exists (select from transactions t where t.account_id = a.id) order by a.id`,
    )
    let known = 0
    for (let left = randomCases(isLong ? 100 : 50); left > 0; left--) {
      const { address } = rows[Math.floor(random() * rows.length)]!
      // The zerostate of the basechain, which the first blocks have, is not recorded.
      const seqno = 10 + Math.floor(random() * (HEAD - 9))
      const query = new URLSearchParams({ address, asset: 'TON', mc_seqno: String(seqno) })
      const reply = await fetch(`${api.base.replace('/v2', '/v3')}/balances?${query}`)
      const [found] = ((await reply.json()) as { balances: { balance: string | null }[] }).balances
      const { balance } = await v2<{ balance: string }>('getAddressInformation', { address, seqno })
      // Null: the first transaction comes later, and what was before is not in the index.
      expect([address, seqno, found!.balance ?? '0']).toEqual([address, seqno, balance])
      if (found!.balance !== null) known++
    }
    expect(known).toBeGreaterThan(0)
  })
})

test('archival=true asks only archive servers, and reports when there is none', async () => {
  const { pool } = api
  const asked: unknown[] = []
  const queryFrom = pool.queryFrom.bind(pool)
  const servers = pool.servers.bind(pool)
  try {
    pool.queryFrom = ((name: string, args: never, options: { archive?: boolean }) => {
      if (name === 'liteServer.getTransactions') asked.push(options.archive)
      return queryFrom(name as never, args, options as never)
    }) as never
    for (const params of [{ limit: 1 }, { limit: 2, archival: true }, { limit: 3, archival: false }])
      await v2('getTransactions', { address: WALLET, ...params })
    expect(asked).toEqual([undefined, true, undefined])
    pool.servers = () => servers().map((server) => ({ ...server, archive: false }))
    const refusal = 'no workers available (archival=1 mode=Single)'
    await expect(v2('getTransactions', { address: WALLET, limit: 4, archival: true })).rejects.toThrow(
      refusal,
    )
  } finally {
    pool.queryFrom = queryFrom
    pool.servers = servers
  }
})

describe('sent messages', () => {
  const message = (n: number) =>
    beginCell()
      .store(
        storeMessage(external({ to: Address.parse(WALLET), body: beginCell().storeUint(n, 32).endCell() })),
      )
      .endCell()
  const kept = async (hash: string) => (await findSentMessage(scratch.db, Buffer.from(hash, 'base64')))?.boc

  test('are found by their normalised hash, however they were sent', async () => {
    const first = message(1).toBoc()
    const { hash_norm } = await v2<{ hash_norm: string }>('sendBocReturnHash', {
      boc: first.toString('base64'),
    })
    await expect.poll(() => kept(hash_norm)).toEqual(first)
    const second = message(2).toBoc()
    const reply = await fetch(`${api.base.replace('/v2', '/v3')}/message`, {
      method: 'POST',
      body: JSON.stringify({ boc: second.toString('base64') }),
    })
    const { message_hash_norm } = (await reply.json()) as { message_hash_norm: string }
    await expect.poll(() => kept(message_hash_norm)).toEqual(second)
    await v2('sendBoc', { boc: message(3).toBoc().toString('base64') })
    const hashes = async () =>
      (await scratch.pool.query('select count(*)::int as n from sent_messages')).rows[0].n
    await expect.poll(hashes).toBe(3)
  })

  test('a message that no server accepts is not stored', async () => {
    const nobody = new Address(0, Buffer.alloc(32, 0xbc))
    const boc = beginCell()
      .store(storeMessage(external({ to: nobody, body: beginCell().endCell() })))
      .endCell()
    await expect(v2('sendBoc', { boc: boc.toBoc().toString('base64') })).rejects.toThrow(
      'Failed to unpack account state',
    )
    expect(await kept(boc.hash().toString('base64'))).toBeUndefined()
  })

  test('a read-only database does not affect sending', async () => {
    await scratch.pool.query('alter table sent_messages rename to sent_elsewhere')
    try {
      const result = await v2('sendBoc', { boc: message(4).toBoc().toString('base64') })
      expect(result).toEqual({ '@type': 'ok' })
    } finally {
      await scratch.pool.query('alter table sent_elsewhere rename to sent_messages')
    }
    expect(api.replays[0]!.sentMessages.at(-1)!.body).toEqual(message(4).toBoc())
    // Messages are stored in the background, in their order: the one before does not come later.
    const next = message(5).toBoc()
    const { hash_norm } = await v2<{ hash_norm: string }>('sendBocReturnHash', {
      boc: next.toString('base64'),
    })
    await expect.poll(() => kept(hash_norm)).toEqual(next)
  })

  test('old and excess ones are deleted, oldest first; sending again updates the time', async () => {
    await scratch.pool.query('delete from sent_messages')
    const hashOf = (n: number) => Buffer.alloc(32, n)
    for (const n of [1, 2, 3, 4]) {
      await insertSentMessage(scratch.db, { hashNorm: hashOf(n), boc: Buffer.from([n]) })
      await scratch.pool.query(
        `update sent_messages set sent_at = now() - make_interval(mins => $1) where hash_norm = $2`,
        [50 - n, hashOf(n)],
      )
    }
    const left = async () =>
      (await scratch.pool.query('select hash_norm from sent_messages order by sent_at')).rows.map(
        (row) => row.hash_norm[0],
      )
    await insertSentMessage(scratch.db, { hashNorm: hashOf(1), boc: Buffer.from([1]) })
    await trimSentMessages(scratch.db, { max: 3 })
    expect(await left()).toEqual([3, 4, 1])
    await scratch.pool.query(
      `update sent_messages set sent_at = now() - interval '61 minutes' where hash_norm = $1`,
      [hashOf(3)],
    )
    await trimSentMessages(scratch.db)
    expect(await left()).toEqual([4, 1])
  })
})

test('proofs of heads start at the newest key block proven by ingest', async () => {
  const links = async () => {
    await start()
    await v2('getMasterchainInfo', {})
    const count = api.replays[0]!.queryCounts.get('liteServer.getBlockProof')!
    await api.close()
    api = shared
    return count
  }
  const before = await links()
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  for await (const { batch } of fixtureChain({ from: HEAD }))
    await rememberKeyBlocks(scratch.db, [
      recording.step(1)!.block.id,
      recording.step(batch.masterchain.header.prevKeyBlockSeqno)!.block.id,
    ])
  await recording.close()
  expect(await links()).toBeLessThan(before)
})
