import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { deriveAccountId, NO_ACCOUNT_HASH, NO_TRANSACTION_HASH } from '@shardwalk/model'
import {
  FIXTURE_CHAIN_FOLDER,
  fixtureChain,
  type ScratchDatabase,
  sampleChainDatabase,
  scratchDatabase,
} from '@shardwalk/testkit'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { inGroups } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { unpackDescription } from '@shardwalk/tlb'
import { Cell } from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addressKey,
  BatchSink,
  CHECKED_TABLES,
  type EncodedBatch,
  encodeBatch,
  findAccountIds,
  joinInitState,
  listIndexedRanges,
  tableChecksums,
} from '../src/index.ts'
import {
  cellHash,
  currencies,
  type Expected,
  messageKey,
  readBlock,
  stateColumns,
  statusNumber,
} from './oracle.ts'

// Compares the stored chain with what `@ton/core` reads from the same bytes.

/** Up to here are transactions and messages of every kind. If tests are long, the chain is whole. */
const LAST = 100

let scratch: ScratchDatabase
/** The whole chain, as the sink stored it. */
let sample: ScratchDatabase
const batches: EncodedBatch[] = []
const expected: Expected = { transactions: [], messages: new Map(), statesAfter: new Map() }
const index = await readIndex()

beforeAll(async () => {
  scratch = await scratchDatabase()
  sample = isLong ? scratch : await sampleChainDatabase()
  const range = isLong ? {} : { to: LAST }
  for await (const { batch, globalVersion, raw, mcBlockSeqno } of fixtureChain(range)) {
    batches.push(encodeBatch(batch, { globalVersion }))
    for (const block of raw) readBlock(block, mcBlockSeqno, expected)
  }
  const sink = new BatchSink(scratch.pool)
  for (const group of inGroups(batches, isLong ? 1 : 40)) await sink.commitBatches(group)
})
afterAll(async () => {
  await scratch?.close()
  if (!isLong) await sample?.close()
})

test('every transaction is present once, with all columns or where they say to look', async () => {
  const rows = await scratch.db.selectFrom('transactions').selectAll().execute()
  const found = new Map(rows.map((row) => [messageKey(row), row]))
  expect([rows.length, found.size]).toEqual([expected.transactions.length, expected.transactions.length])
  const counts = { linked: 0, first: 0, stored: 0 }
  for (const { row, description } of expected.transactions) {
    const { description: packed, piece, ...columns } = found.get(messageKey(row))!
    const before = found.get(messageKey({ account_id: row.account_id, lt: row.prev_trans_lt }))
    const isLinked = columns.prev_trans_hash === null && row.prev_trans_lt > 0n
    if (isLinked) expect(before?.piece).toBe(piece)
    counts[isLinked ? 'linked' : columns.prev_trans_hash === null ? 'first' : 'stored']++
    columns.prev_trans_hash ??= isLinked ? before!.hash : NO_TRANSACTION_HASH
    columns.state_hash_before ??= isLinked ? before!.state_hash_after : NO_ACCOUNT_HASH
    expectSame(columns, row)
    expectSame(unpackDescription(packed), description)
  }
  console.log(counts)
  expect(Math.min(counts.linked, counts.first, counts.stored)).toBeGreaterThan(0)
})

test('every message is present once, with all columns', async () => {
  const stored = await scratch.db.selectFrom('messages').selectAll().execute()
  const codes = await scratch.db.selectFrom('codes').selectAll().execute()
  const bagOf = new Map(codes.map(({ code_hash, boc }) => [code_hash.toString('hex'), boc]))
  const whole = stored.map((row) => {
    const code = row.init_code_hash && bagOf.get(row.init_code_hash.toString('hex'))
    return row.init_state && code
      ? { ...row, init_state: joinInitState(row.init_state, code), init_code_hash: null }
      : row
  })
  const read = (boc: Buffer | null) => boc && cellHash(Cell.fromBoc(boc)[0]!)
  const found = new Map(
    whole.map(({ init_code_hash, ...row }) => {
      expect(init_code_hash).toBeNull()
      return [messageKey(row), { ...row, body: read(row.body), init_state: read(row.init_state) }]
    }),
  )
  expect([whole.length, found.size]).toEqual([expected.messages.size, expected.messages.size])
  for (const [key, row] of expected.messages) expectSame(found.get(key), row)
  const bytes = (rows: readonly { init_state: Buffer | null }[]) =>
    rows.reduce((sum, row) => sum + (row.init_state?.length ?? 0), 0)
  expect(bytes(stored)).toBeLessThan(bytes(whole) / 2)
})

test('latest states are those after the last transaction of each account', async () => {
  const rows = await scratch.db.selectFrom('latest_account_states').selectAll().execute()
  expect(rows.length).toBe(expected.statesAfter.size)
  for (const row of rows) {
    const { lt, account } = expected.statesAfter.get(row.account_id)!
    const { code_hash_after, data_hash_after, frozen_hash_after } = stateColumns(account)
    expect(row).toMatchObject({
      lt,
      balance: account?.storage.balance.coins ?? 0n,
      status: statusNumber(account?.storage.state.type.replace('uninit', 'uninitialized') ?? 'non-existing'),
      code_hash: code_hash_after,
      data_hash: data_hash_after,
      frozen_hash: frozen_hash_after,
      extra_currencies: account ? currencies(account.storage.balance) : null,
    })
  }
})

test('stored code and data have the hashes under which they are stored', async () => {
  const codes = await scratch.db.selectFrom('codes').selectAll().execute()
  const data = await scratch.db.selectFrom('account_data').selectAll().execute()
  expect(Math.min(codes.length, data.length)).toBeGreaterThan(0)
  for (const { code_hash, boc } of codes) expect(Cell.fromBoc(boc)[0]!.hash()).toEqual(code_hash)
  for (const { data_hash, boc } of data) expect(Cell.fromBoc(boc)[0]!.hash()).toEqual(data_hash)
})

test('counts equal those of the recording', async () => {
  const { statistics } = index
  const count = async (text: string) => Number((await sample.pool.query<{ n: bigint }>(text)).rows[0]!.n)
  expect({
    masterchain_blocks: await count('select count(*) as n from blocks where workchain = -1'),
    shard_blocks: await count('select count(*) as n from blocks where workchain = 0'),
    transactions: await count('select sum(tx_count) as n from blocks'),
    transactions_masterchain: await count('select count(*) as n from transactions where account_id < 0'),
    transactions_basechain: await count('select count(*) as n from transactions where account_id >= 0'),
    key_blocks: await count('select count(*) as n from blocks where key_block'),
    after_split: await count('select count(*) as n from blocks where after_split'),
    after_merge: await count(
      'select count(*) as n from blocks where after_merge and prev_seqno_2 is not null',
    ),
    aborted: await count('select count(*) as n from transactions where aborted'),
    messages: {
      in_external: await count('select count(*) as n from messages where kind = 1'),
      in_internal: await count(
        `select count(*) as n from transactions t
         join messages m on m.account_id = coalesce(t.in_msg_account_id, t.account_id) and m.lt = t.in_msg_lt
           where m.kind = 0`,
      ),
      out_internal: await count(
        `select count(*) as n from transactions t
         join messages m on m.account_id = t.account_id and m.lt > t.lt and m.lt <= t.lt + t.out_msg_count
           where m.kind = 0`,
      ),
      out_external: await count('select count(*) as n from messages where kind = 2'),
    },
    accounts: await count('select count(distinct account_id) as n from transactions'),
  }).toEqual({
    masterchain_blocks: statistics.masterchain_blocks,
    shard_blocks: statistics.shard_blocks,
    transactions: statistics.transactions,
    transactions_masterchain: statistics.transactions_masterchain,
    transactions_basechain: statistics.transactions_basechain,
    key_blocks: statistics.key_blocks,
    after_split: statistics.after_split,
    after_merge: statistics.after_merge,
    aborted: statistics.aborted,
    messages: statistics.messages,
    accounts: statistics.accounts,
  })
})

test('every block is present with its header, and the shards of each masterchain block', async () => {
  const rows = await sample.db.selectFrom('blocks').selectAll().execute()
  const found = new Map(rows.map((row) => [row.root_hash.toString('hex'), row]))
  const shards = new Map(
    rows.flatMap(({ workchain, seqno, shard_tops: tops }) => {
      expect(tops === null).toBe(workchain !== -1)
      return tops ? [[seqno, shardsIn(tops)] as const] : []
    }),
  )
  for (const step of index.masterchain) {
    for (const block of [...step.shards, step.block])
      expect(found.get(block.root_hash)).toMatchObject({
        workchain: block.workchain,
        shard: BigInt.asIntN(64, BigInt(`0x${block.shard}`)),
        seqno: block.seqno,
        file_hash: Buffer.from(block.file_hash, 'hex'),
        mc_block_seqno: step.seqno,
        gen_utime: block.gen_utime,
        start_lt: BigInt(block.start_lt),
        end_lt: BigInt(block.end_lt),
        tx_count: block.transactions,
        prev_seqno: block.prev[0]!.seqno,
        prev_seqno_2: block.prev[1]?.seqno ?? null,
        key_block: block.key_block ?? false,
        after_split: block.after_split ?? false,
        before_split: block.before_split ?? false,
      })
    expect(shards.get(step.seqno)).toEqual(
      new Set(step.shard_tops.map((top) => `${top.workchain} ${top.shard} ${top.seqno}`)),
    )
  }
})

const shardsIn = (tops: readonly bigint[]): ReadonlySet<string> =>
  new Set(
    Array.from({ length: tops.length / 2 }, (_, index) => {
      const [place, shard] = tops.slice(index * 2)
      return `${place! >> 32n} ${BigInt.asUintN(64, shard!).toString(16)} ${place! & 0xffffffffn}`
    }),
  )

test('invariants hold: transactions are linked, and messages reach their destination', async () => {
  const broken = async (text: string) => (await sample.pool.query(text)).rows
  expect(
    await broken(`select account_id, lt
      from (select *, lag(lt) over accounts as previous_lt, lag(hash) over accounts as previous_hash,
        lag(state_hash_after) over accounts as previous_state
          from transactions window accounts as (partition by account_id order by lt)) t
      where previous_lt is not null and prev_trans_lt <> 0
        and (previous_lt, previous_hash, previous_state) is distinct from (prev_trans_lt,
          coalesce(prev_trans_hash, previous_hash), coalesce(state_hash_before, previous_state))`),
  ).toEqual([])
  expect(
    await broken(`select m.hash from transactions t
      join messages m on m.account_id = coalesce(t.in_msg_account_id, t.account_id)
      and m.lt = t.in_msg_lt where m.destination_id is distinct from t.account_id`),
  ).toEqual([])
})

test('the tables are the same newest first, and shuffled by two writers at once', async () => {
  const sums = async () =>
    [...(await tableChecksums(scratch.db))].map(([t, { rows, checksum }]) => `${t} ${rows} ${checksum}`)
  const before = await sums()
  const empty = () => scratch.pool.query(`truncate ${CHECKED_TABLES.join(', ')}`)

  await empty()
  const groups = inGroups([...batches].reverse(), 40)
  const sink = new BatchSink(scratch.pool)
  for (const group of groups) await sink.commitBatches(group)
  expect(await sums()).toEqual(before)

  await empty()
  const shuffled = [...batches].sort((a, b) => scramble(a.mcBlockSeqno) - scramble(b.mcBlockSeqno))
  const work = async (own: readonly EncodedBatch[][]) => {
    const own_sink = new BatchSink(scratch.pool)
    for (const group of own) await own_sink.commitBatches(group)
  }
  const forTwo = inGroups(shuffled, isLong ? 7 : 30)
  await Promise.all([work(forTwo), work([...forTwo].reverse())])
  expect(await sums()).toEqual(before)
  expect(await listIndexedRanges(scratch.db)).toEqual([{ from: 1, to: batches.length }])
})

test('every address on the chain is found by its derived id', async () => {
  const known = index.masterchain[0]!
  expect(known.seqno).toBe(1)
  const elector = { workchain: -1, hash: Buffer.from('3'.repeat(64), 'hex') }
  const ids = await findAccountIds(sample.db, [elector, { workchain: 0, hash: Buffer.alloc(32, 0x5a) }])
  expect(ids).toEqual(new Map([[addressKey(elector), deriveAccountId(elector)]]))
})

const scramble = (n: number): number => Math.imul(n, 0x9e3779b1) >>> 0

interface IndexBlock {
  workchain: number
  shard: string
  seqno: number
  root_hash: string
  file_hash: string
  gen_utime: number
  start_lt: string
  end_lt: string
  transactions: number
  prev: { seqno: number }[]
  key_block?: boolean
  after_split?: boolean
  before_split?: boolean
}

async function readIndex() {
  const bytes = await readFile(join(FIXTURE_CHAIN_FOLDER, 'index.json.gz'))
  return JSON.parse(gunzipSync(bytes).toString('utf8')) as {
    statistics: Record<string, number> & { messages: Record<string, number> }
    masterchain: { seqno: number; block: IndexBlock; shards: IndexBlock[]; shard_tops: IndexBlock[] }[]
  }
}
