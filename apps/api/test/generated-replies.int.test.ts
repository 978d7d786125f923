import { PROFILES, profileRules, v3Replies } from '@shardwalk/api-schema'
import { decodeBlock } from '@shardwalk/blocks'
import { parseBoc } from '@shardwalk/cells'
import { BatchSink, encodeBatch } from '@shardwalk/db'
import { type BlockId, formatRawAddress, type RawAddress, sameAddress } from '@shardwalk/model'
import {
  type GeneratedMessage,
  type GeneratedTransaction,
  generatedChain,
  type ScratchDatabase,
  scratchDatabase,
} from '@shardwalk/testkit'
import { expectSame } from '@shardwalk/testkit/expect-same'
import { swept } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client, type Json } from './client.ts'

// Replies over a chain with transactions and messages of kinds that no recorded chain has.

const steps = [
  ...generatedChain({
    seed: 75,
    steps: 8,
    workchains: [0, 70_000, -(2 ** 31)],
    rarity: 0.1,
    accounts: 40,
    transactions: 12,
    keyBlocks: 0.4,
  }),
]
/** Masterchain block at which the global version is not known. */
const UNKNOWN_VERSION = 8
const blocks = steps.flatMap(({ masterchain, shards }) => [...shards, masterchain])
const transactions = blocks.flatMap((block) => block.transactions)

let scratch: ScratchDatabase
const clients = new Map<string, Client>()
beforeAll(async () => {
  scratch = await scratchDatabase()
  const sink = new BatchSink(scratch.pool)
  for (const { mcSeqno, masterchain, shards } of steps) {
    const batch = {
      masterchain: decodeBlock(masterchain.raw),
      shards: shards.map(({ raw }) => decodeBlock(raw)),
    }
    const globalVersion = mcSeqno === UNKNOWN_VERSION ? undefined : 12
    await sink.commitBatches([encodeBatch(batch, { globalVersion })])
  }
  for (const profile of PROFILES) clients.set(profile, await Client.start(scratch, { profile }))
})
afterAll(async () => {
  for (const client of clients.values()) await client.close()
  await scratch?.close()
})

const base64 = (bytes: Buffer | undefined) => bytes?.toString('base64')
const textOf = (address: RawAddress | undefined) => (address ? formatRawAddress(address) : null)

const NAMES: Readonly<Record<string, string>> = {
  kind: 'type',
  storagePhase: 'storage_ph',
  creditPhase: 'credit_ph',
  computePhase: 'compute_ph',
  actionPhase: 'action',
  bouncePhase: 'bounce',
}
const nameOf = (key: string) => NAMES[key] ?? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** What was put in, as API v3 names and prints it. */
function printed(value: unknown, key = ''): unknown {
  if (typeof value === 'bigint') return String(value)
  if (Buffer.isBuffer(value))
    return key.endsWith('Addr') ? value.toString('hex').toUpperCase() : value.toString('base64')
  if (value instanceof Map) return Object.fromEntries([...value].map(([id, amount]) => [id, String(amount)]))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [nameOf(name), printed(field, name)]))
}

function hashOf(boc: string): string {
  const bag = parseBoc(Buffer.from(boc, 'base64'))
  return bag.hash(bag.root).toString('base64')
}

/** Cells are returned with their hash; both must be those of what was put in. */
function expectCells(reply: unknown, hash: Buffer | undefined): void {
  const content = reply as { readonly hash: string; readonly body: string } | null
  expectSame([content?.hash, content && hashOf(content.body)], [base64(hash), base64(hash) ?? null])
}

function expectMessage(row: Json, put: GeneratedMessage): void {
  expectCells(row['message_content'], put.bodyHash)
  expectCells(row['init_state'], put.initStateHash)
  expectSame(
    [row['hash'], row['source'], row['destination']],
    [base64(put.cell.hash()), textOf(put.source), textOf(put.destination)],
  )
  if (put.kind === 'internal')
    expectSame(
      [row['value'], row['created_lt'], row['value_extra_currencies']],
      [String(put.value), String(put.createdLt), printed(put.valueExtraCurrencies ?? new Map())],
    )
}

function expectTransaction(row: Json, put: GeneratedTransaction): void {
  const own = {
    account: textOf(put.account),
    lt: String(put.lt),
    now: put.now,
    prev_trans_hash: base64(put.prevTransHash),
    prev_trans_lt: String(put.prevTransLt),
    orig_status: put.origStatus,
    end_status: put.endStatus,
    total_fees: String(put.totalFees),
    total_fees_extra_currencies: printed(put.totalFeesExtraCurrencies ?? new Map()),
    description: printed(put.description),
  }
  expect(row).toMatchObject(own)
  expectSame(row['description'], own.description)
  expectSame(row['in_msg'] === null, put.inMsg === undefined)
  if (put.inMsg) expectMessage(row['in_msg'] as Json, put.inMsg)
  const outMsgs = row['out_msgs'] as Json[]
  expectSame(outMsgs.length, put.outMsgs.length)
  for (const [i, message] of put.outMsgs.entries()) expectMessage(outMsgs[i]!, message)
}

test.each(PROFILES)(
  'profile %s: fees and flags of messages are null if it is not known which',
  async (profile) => {
    const client = clients.get(profile)!
    const query = { mc_seqno: UNKNOWN_VERSION }
    const unknown = (await client.all('transactions', 'transactions', query)).flatMap(
      (row) => row['out_msgs'] as Json[],
    )
    const { Message } = v3Replies(profileRules(profile))
    for (const message of unknown) Message.parse(message)
    const hashes = new Set(unknown.map((message) => message['hash']))
    const others = (await client.all('transactions', 'transactions')).flatMap(
      (row) => row['out_msgs'] as Json[],
    )
    const slots = new Map(
      blocks
        .flatMap(({ raw }) => decodeBlock(raw).transactions.flatMap(({ outMsgs }) => outMsgs))
        .map((message) => [base64(message.hash), message.ihrFeeOrExtraFlags] as const),
    )
    const internal = others.filter((message) => message['value'] !== null)
    expect(unknown.length).toBeGreaterThan(3)
    expect(internal.length).toBeGreaterThan(unknown.length)
    for (const message of internal) {
      const slot = String(slots.get(message['hash'] as string))
      const wanted = hashes.has(message['hash']) ? [null, null] : ['0', slot]
      expect([message['ihr_fee'], message['extra_flags']]).toEqual(wanted)
    }
  },
)

test.each(PROFILES)(
  'profile %s: transactions of every kind are returned as they were made',
  async (profile) => {
    const client = clients.get(profile)!
    const schema = v3Replies(profileRules(profile)).Transaction
    const rows = new Map((await client.all('transactions', 'transactions')).map((row) => [row['hash'], row]))
    expect(rows.size).toBe(transactions.length)
    expect(new Set(transactions.map((tx) => tx.description.kind)).size).toBe(7)
    for (const tx of transactions) {
      const row = rows.get(base64(tx.cell.hash()))!
      schema.parse(row)
      expectTransaction(row, tx)
    }
  },
)

test('every message is found by its hash', async () => {
  const client = clients.get('standard')!
  const schema = v3Replies(profileRules('standard')).Message
  const messages = transactions.flatMap(({ inMsg, outMsgs }) => [...(inMsg ? [inMsg] : []), ...outMsgs])
  const system = messages.filter(({ isSystem }) => isSystem)
  expect(system.length).toBeGreaterThan(1)
  for (const message of new Set([...system, ...swept(messages, 10)])) {
    const hash = message.cell.hash()
    const { body } = await client.get('messages', { msg_hash: base64(hash) })
    const rows = body['messages'] as Json[]
    // It may also be the normalized hash of others.
    const own = rows.filter((row) => row['hash'] === base64(hash))
    expect(own).toHaveLength(1)
    for (const row of own) expectMessage(schema.parse(row) as Json, message)
    for (const row of rows) expect([row['hash'], row['hash_norm']]).toContain(base64(hash))
  }
})

test('states are those that the last block of each account left', async () => {
  const last = new Map(
    blocks.flatMap(({ raw: { id }, states }) =>
      [...states].map(([hash, state]) => [`${id.workchain}:${hash.toUpperCase()}`, state] as const),
    ),
  )
  const { body } = await clients.get('standard')!.get('accountStates', { address: [...last.keys()] })
  const rows = new Map((body['accounts'] as Json[]).map((row) => [row['address'], row]))
  expect(rows.size).toBe(last.size)
  for (const [address, { status, balance, extraCurrencies, frozenHash, code, data }] of last) {
    const row = rows.get(address)!
    expectSame([row['status'], row['balance']], [status, String(balance)])
    // Null: no block showed all of them.
    if (row['extra_currencies']) expectSame(row['extra_currencies'], printed(extraCurrencies ?? new Map()))
    expectSame(row['frozen_hash'] ?? undefined, base64(frozenHash))
    for (const [name, cell] of Object.entries({ code, data })) {
      expectSame(row[`${name}_hash`] ?? undefined, base64(cell?.hash()))
      // What no block showed completely is not there.
      const boc = row[`${name}_boc`] as string | undefined
      if (boc) expectSame(hashOf(boc), base64(cell?.hash()))
    }
  }
  expect(new Set([...last.values()].map(({ status }) => status)).size).toBeGreaterThan(2)
})

test.each(PROFILES)('profile %s: transactions show the status of the states around them', async (profile) => {
  const rows = new Map(
    (await clients.get(profile)!.all('transactions', 'transactions')).map((row) => [row['hash'], row]),
  )
  const before = new Map<string, unknown>()
  let differing = 0
  for (const { transactions, states } of blocks)
    for (const [i, { account, cell, endStatus }] of transactions.entries()) {
      const row = rows.get(base64(cell.hash()))!
      const key = formatRawAddress(account)
      const [found, after] = [row['account_state_before'] as Json, row['account_state_after'] as Json]
      expectSame(found['account_status'], before.has(key) ? before.get(key) : 'nonexist')
      const next = transactions[i + 1]
      const isLast = !next || !sameAddress(next.account, account)
      const { status } = states.get(account.hash.toString('hex'))!
      if (isLast && status !== endStatus) differing++
      // Of the others only the hash is known, unless the account has ended.
      expectSame(after['account_status'], isLast ? status : endStatus === 'nonexist' ? endStatus : null)
      before.set(key, after['account_status'])
    }
  expect(differing).toBeGreaterThan(0)
})

test('blocks have the headers that they were made with, and name the blocks before them', async () => {
  const client = clients.get('standard')!
  const seen = new Set<unknown>()
  for (const { raw } of blocks) {
    const { id, header, prev } = decodeBlock(raw)
    const { body } = await client.get('blocks', { root_hash: base64(id.rootHash) })
    const [row, ...others] = body['blocks'] as Json[]
    expect(others).toEqual([])
    const { genSoftware: _, notMaster: __, ...own } = header
    expect(row).toMatchObject({
      ...(printed(own) as Json),
      gen_utime: String(own.genUtime),
      // As signed numbers, which TON Center prints.
      validator_list_hash_short: own.validatorListHashShort | 0,
      min_ref_mc_seqno: own.minRefMcSeqno | 0,
      prev_blocks: prev.map(printedId),
    })
    for (const flag of FLAGS) if (row![flag]) seen.add(flag)
  }
  expect([...seen].sort()).toEqual(FLAGS)
})

const FLAGS = [
  ...['after_merge', 'after_split', 'before_split', 'key_block'],
  ...['vert_seqno_incr', 'want_merge', 'want_split'],
]

const printedId = ({ workchain, shard, seqno }: BlockId) => ({
  ...{ workchain, seqno },
  shard: shard.toString(16).toUpperCase(),
})
