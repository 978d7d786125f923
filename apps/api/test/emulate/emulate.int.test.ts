import { profileRules, traceReplies } from '@shardwalk/api-schema'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { Cell } from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningApi, startApi, warmUp } from '../v2/running-api.ts'
import { sendsOf } from './sends.ts'

let scratch: ScratchDatabase
let api: RunningApi
beforeAll(async () => {
  scratch = await classifiedChain()
  api = await startApi(undefined, { db: scratch.db, untrustedTimeoutMs: 60_000 })
  await warmUp(api)
})
afterAll(async () => {
  await api?.close()
  await scratch?.close()
})

interface Action {
  readonly trace_id: string | null
  readonly type: string
  readonly details: object
  readonly success: boolean
  readonly accounts: readonly string[]
  readonly transactions: readonly string[]
  readonly trace_external_hash: string
  readonly finality: string
}
interface Transaction {
  readonly account: string
  readonly in_msg: { readonly source: string | null }
  readonly out_msgs: readonly { readonly destination: string | null }[]
  readonly trace_external_hash: string
  readonly block_ref: object
  readonly description: { readonly action?: { readonly tot_msg_size: object } }
  readonly account_state_before: State
  readonly account_state_after: State
}
interface State {
  readonly hash: string
  readonly code_hash: string | null
  readonly data_hash: string | null
}
interface Emulated {
  readonly mc_block_seqno: number
  readonly transactions: Readonly<Record<string, Transaction>>
  readonly actions: readonly Action[]
  readonly code_cells: Readonly<Record<string, string>>
  readonly data_cells: Readonly<Record<string, string>>
  readonly address_book: Readonly<Record<string, { readonly user_friendly: string }>>
  readonly metadata: Readonly<Record<string, { readonly token_info: readonly { readonly type: string }[] }>>
}

async function emulate(body: object, headers: Record<string, string> = {}): Promise<Emulated> {
  const reply = await fetch(`${api.base.replace('/v2', '/emulate/v1')}/emulateTrace`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const emulated = (await reply.json()) as Emulated
  if (reply.status !== 200) throw new Error(JSON.stringify(emulated))
  return emulated
}

const ALL = {
  with_actions: true,
  include_code_data: true,
  include_address_book: true,
  include_metadata: true,
}

/** The trace that the message had. */
async function indexed(hash: string) {
  const reply = await fetch(`${api.base.replace('/v2', '/v3')}/traces?msg_hash=${hash}&include_actions=true`)
  const { traces } = (await reply.json()) as {
    traces: { actions: Action[]; mc_seqno_start: string; transactions: Record<string, Transaction> }[]
  }
  return traces[0]
}

const shown = (actions: readonly Action[]) =>
  actions.map(({ type, details, success }) => JSON.stringify({ type, details, success })).sort()

test('an emulated trace has the actions that the same trace had when it happened', async () => {
  const types = new Set<string>()
  const sends = sendsOf(
    /^(jetton\.j[14]\.(transfer|fresh)|vesting\.whitelist|multisig\.order0|nft\..*)$/,
  ).slice(0, 30)
  const steps = new Set<string>()
  for (const { boc, ext_hash: hash, step } of sends) {
    // Messages of one step differ little.
    if (!isLong && steps.has(step.id)) continue
    steps.add(step.id)
    const real = await indexed(hash)
    if (!real) continue
    const before = { mc_block_seqno: Number(real.mc_seqno_start) - 1 }
    const emulated = await emulate({ boc, ...before, with_actions: true })
    expect(shown(emulated.actions)).toEqual(shown(real.actions))
    for (const { type } of emulated.actions) types.add(type)
  }
  expect([...types]).toEqual(expect.arrayContaining(['jetton_transfer', 'vesting_add_whitelist']))
})

test('bids for domains and their purchases are found by the DNS of any network', async () => {
  const types = new Set<string>()
  for (const { boc, ext_hash: hash } of sendsOf(/^dns\.(auction\.late|finish)$/)) {
    const real = (await indexed(hash))!
    const before = Number(real.mc_seqno_start) - 1
    const emulated = await emulate({ boc, mc_block_seqno: before, with_actions: true })
    const [expected, found] = [real, emulated].map(({ actions }) => actions.map(({ type }) => type).sort())
    expect(found).toEqual(expected)
    for (const type of found!) types.add(type)
  }
  expect([...types]).toEqual(expect.arrayContaining(['auction_bid', 'dns_purchase']))
})

test('a reply has everything that wallets read without asking whether it is there', async () => {
  const { boc, ext_hash: hash } = sendsOf(/^jetton\.j1\.transfer$/)[0]!
  const real = (await indexed(hash))!
  const emulated = await emulate({
    boc,
    mc_block_seqno: Number(real.mc_seqno_start) - 1,
    ignore_chksig: true,
    ...ALL,
  })
  expect(traceReplies(profileRules('standard')).EmulatedTrace.parse(emulated)).toBeTruthy()
  for (const transaction of Object.values(emulated.transactions)) {
    expect(transaction).toMatchObject({ emulated: true, finality: 'pending', block_ref: { workchain: 0 } })
    expect(transaction.trace_external_hash).toHaveLength(44)
    expect(transaction.description).toMatchObject({ storage_ph: {}, compute_ph: {} })
    if (transaction.description.action) expect(transaction.description.action.tot_msg_size).toBeTruthy()
    const named = [transaction.account, ...transaction.out_msgs.map(({ destination }) => destination!)]
    for (const address of named) expect(emulated.address_book[address]?.user_friendly).toHaveLength(48)
    for (const { code_hash, data_hash } of [
      transaction.account_state_before,
      transaction.account_state_after,
    ]) {
      if (code_hash) expect(hashOf(emulated.code_cells[code_hash]!)).toBe(code_hash)
      if (data_hash) expect(hashOf(emulated.data_cells[data_hash]!)).toBe(data_hash)
    }
  }
  for (const action of emulated.actions) {
    expect(action).toMatchObject({ trace_id: null, finality: 'pending' })
    expect(action.accounts.length).toBeGreaterThan(0)
    expect(action.transactions.every((one) => emulated.transactions[one])).toBe(true)
    expect(action.trace_external_hash).toHaveLength(44)
  }
  const kinds = Object.values(emulated.metadata).flatMap(({ token_info }) =>
    token_info.map(({ type }) => type),
  )
  expect(kinds).toEqual(expect.arrayContaining(['jetton_masters', 'jetton_wallets']))
})

test('tokens that the trace deploys are described although the index does not know them', async () => {
  interface Info {
    readonly type: string
    readonly extra: { readonly balance?: string }
  }
  interface Token {
    readonly is_indexed: boolean
    readonly token_info: readonly Info[]
  }
  const deployedBy = async (steps: RegExp) => {
    const { boc, ext_hash: hash } = sendsOf(steps)[0]!
    const before = Number((await indexed(hash))!.mc_seqno_start) - 1
    const reply = await emulate({ boc, mc_block_seqno: before, ignore_chksig: true, include_metadata: true })
    const deployed = Object.values(reply.transactions).filter(
      (one) => !one.account_state_before.code_hash && one.account_state_after.code_hash,
    )
    const metadata = reply.metadata as Readonly<Record<string, Token>>
    const found = deployed.flatMap(({ account }) => metadata[account] ?? [])
    // The index has the newest balance.
    return found.map(({ is_indexed, token_info: [info] }) => ({
      is_indexed,
      info: { ...info, extra: { ...info!.extra, balance: null } },
    }))
  }
  const steps = [/^jetton\.j1\.fresh$/, /^nft\.mint$/]
  const known = await Promise.all(steps.map(deployedBy))
  expect(known.flat().map(({ info }) => info.type)).toEqual(
    expect.arrayContaining(['jetton_wallets', 'nft_items']),
  )
  await scratch.pool.query('delete from jetton_wallets; delete from nft_items')
  const unknown = await Promise.all(steps.map(deployedBy))
  expect(unknown).toEqual(known.map((tokens) => tokens.map((token) => ({ ...token, is_indexed: false }))))
})

const hashOf = (boc: string): string => Cell.fromBase64(boc).hash().toString('base64')

test('types of actions are chosen by X-Actions-Version', async () => {
  const { boc, ext_hash: hash } = sendsOf(/^vesting\.whitelist$/)[0]!
  const body = { boc, mc_block_seqno: Number((await indexed(hash))!.mc_seqno_start) - 1, with_actions: true }
  const types = async (headers: Record<string, string>) =>
    (await emulate(body, headers)).actions.map(({ type }) => type)
  expect(await types({})).toContain('vesting_add_whitelist')
  expect(await types({ 'X-Actions-Version': 'v1' })).not.toContain('vesting_add_whitelist')
})
