import { Builder, EMPTY_CELL } from '@shardwalk/cells'
import { DEDUST } from '@shardwalk/contracts'
import { expect, test } from 'vitest'
import {
  type AccountFacts,
  type ActionRow,
  classifyTrace,
  expandSupportedTypes,
  factsWanted,
  isShown,
  RENDERED_TYPES,
  readTraceFile,
  renderAction,
  rowToJson,
  STORED_ACTION_TYPES,
} from '../src/index.ts'
import { addr, buildTrace, q, storeAddr } from './build-trace.ts'
import { readTrace, traceNames } from './fixture-files.ts'

const files = traceNames().map((name) => readTraceFile(readTrace(name)))
const rows = files.flatMap(({ trace, facts }) => classifyTrace(trace, facts).actions)
const actionsOf = (name: string): readonly ActionRow[] => {
  const { trace, facts } = readTraceFile(readTrace(name))
  return classifyTrace(trace, facts).actions
}
const shownTypes = (actions: readonly ActionRow[], supported: ReadonlySet<string>): string[] =>
  actions.filter((row) => isShown(row, supported)).map(({ type }) => type)

test('each of the 86 stored types has a shape', () => {
  expect(new Set(STORED_ACTION_TYPES).size).toBe(86)
  expect([...RENDERED_TYPES].sort()).toEqual([...STORED_ACTION_TYPES].sort())
})

test('every row of the fixtures has a stored type and renders without bigints', () => {
  for (const row of rows) {
    expect(STORED_ACTION_TYPES).toContain(row.type)
    expect(() => JSON.stringify(renderAction(row))).not.toThrow()
  }
})

test('a row that went through JSON renders the same', () => {
  for (const row of rows) {
    const stored = JSON.parse(rowToJson(row)) as ActionRow
    expect(renderAction(stored)).toEqual(JSON.parse(JSON.stringify(renderAction(row))))
  }
})

test('a swap renders its sides as strings and its assets by name', () => {
  const swap = actionsOf('vdNpUDA43aIw6QlbcKMgi7q4S0MnJAVTfXVRqbAt5Tw').find(
    ({ type }) => type === 'jetton_swap',
  )!
  const { details } = renderAction(swap)
  expect(details).toMatchObject({
    dex: 'stonfi_v2',
    asset_in: swap.asset,
    asset_out: swap.asset2,
    peer_swaps: [],
  })
  expect(details['dex_incoming_transfer']).toMatchObject({
    amount: String(swap.jetton_swap_data!.dex_incoming_transfer.amount),
  })
  expect(details).not.toHaveProperty('min_out_amount')
})

test('the name of a marketplace comes from its address; an unknown one has none', () => {
  const bought = actionsOf('F73aJsg-E-RHh3nJel9-KZ23sQ80dLMqt26gbUEXHIs').find(
    ({ type }) => type === 'nft_purchase',
  )!
  const market = bought.nft_transfer_data!.marketplace_address!
  const named = renderAction(bought, { nameOf: (address) => (address === market ? 'Getgems' : undefined) })
  expect(named.details['marketplace']).toBe('Getgems')
  expect(renderAction(bought).details['marketplace']).toBe(null)
})

test('extra currencies have a type of their own; other types do not change', () => {
  const row = rows.find(({ type }) => type === 'ton_transfer')!
  expect(renderAction(row).type).toBe('ton_transfer')
  expect(renderAction({ ...row, value_extra_currencies: { '100': '5' } }).type).toBe(
    'extra_currency_transfer',
  )
})

test('an unknown type shows no internal data', () => {
  expect(renderAction({ ...rows[0]!, type: 'toString' })).toEqual({ type: 'toString', details: {} })
})

test('every version includes the types of the previous one', () => {
  const sizes = ['v1', 'v2', 'v3', 'v4', 'v5', 'latest'].map(
    (version) => expandSupportedTypes([version]).size,
  )
  expect(sizes).toEqual([23, 46, 63, 75, 79, 75])
  expect(expandSupportedTypes(['tgbtc']).size).toBe(30)
  expect(expandSupportedTypes(undefined)).toEqual(expandSupportedTypes(['latest']))
  expect(expandSupportedTypes(['v1'], 'v2')).toEqual(expandSupportedTypes(['v2']))
  expect(expandSupportedTypes(['nonsense', 'constructor']).has('nonsense')).toBe(true)
})

test('a client of v5 gets the types of v4 and what v5 adds, one that names no version those of v4', () => {
  const types = ['change_wallet_key', 'gasless_request', 'dedust_v2_claim_fees', 'dedust_v2_claim_reward']
  const added = new Set([...expandSupportedTypes(['latest']), ...types])
  expect(expandSupportedTypes(['v5'])).toEqual(added)
  expect(expandSupportedTypes(undefined, 'v5')).toEqual(added)
  expect(expandSupportedTypes(undefined)).toEqual(expandSupportedTypes(['v4']))
})

test('an old client sees the parts, a new one the composite', () => {
  const actions = actionsOf('0_AQj88LwG2cEpyjulN9yyJWzx8_ymJMizzoR_FfDzU')
  const old = shownTypes(actions, expandSupportedTypes(['v1']))
  const latest = shownTypes(actions, expandSupportedTypes(['latest']))
  expect(old).not.toContain('layerzero_send')
  expect(old.length).toBeGreaterThan(latest.length)
  expect(latest).toEqual(['call_contract', 'layerzero_send'])
})

test('the facts used by the fixtures are among those requested', () => {
  for (const { trace, facts } of files) {
    const { accounts, data } = factsWanted(trace, facts)
    const wanted = new Map([...facts].filter(([address]) => accounts.has(address) || data.has(address)))
    expect(classifyTrace(trace, wanted).actions).toEqual(classifyTrace(trace, facts).actions)
  }
})

test('facts about a sender whose transaction is missing are among those requested', () => {
  const transfer = storeAddr(storeAddr(q(0x5fcc3d14), 'BOB'), 'ALICE')
    .storeBit(0)
    .storeCoins(0n)
    .storeBit(0)
  const notice = { to: 'BOB', body: storeAddr(q(0x05138d91), 'ALICE') }
  const whole = buildTrace('ALICE', [{ to: 'ITEM', body: transfer, sends: [notice] }])
  const trace = {
    ...whole,
    transactions: whole.transactions.filter(({ account }) => account !== addr('ITEM')),
  }
  const known = new Map([[addr('ITEM'), { nftItem: { index: 5n, collection: addr('COLLECTION') } }]])
  const { accounts } = factsWanted(trace, known)
  const loaded = new Map([...known].filter(([address]) => accounts.has(address)))
  const { actions } = classifyTrace(trace, loaded)
  expect(actions).toEqual(classifyTrace(trace, known).actions)
  expect(actions).toMatchObject([{ type: 'nft_transfer', asset_secondary: addr('ITEM') }])
})

test('a swap that its first pool refuses has the asset that was asked for, by the facts loaded', () => {
  const second = storeAddr(new Builder(), 'POOL2').storeBit(0).storeCoins(0n).storeBit(0).endCell()
  const route = (body: Builder) =>
    storeAddr(body, 'POOL1').storeBit(0).storeCoins(0n).storeBit(1).storeRef(second).storeRef(EMPTY_CELL)
  const refused = {
    to: 'POOL1',
    body: q(DEDUST.swapExternal),
    sends: [
      {
        to: 'VAULT',
        body: q(DEDUST.payOutFromPool).storeRef(EMPTY_CELL).storeCoins(100n),
        sends: [{ to: 'ALICE', body: q(DEDUST.payout) }],
      },
    ],
  }
  const swap = route(q(DEDUST.swap).storeCoins(100n))
  const trace = buildTrace('ALICE', [{ to: 'VAULT', body: swap, sends: [refused] }])
  const { accounts } = factsWanted(trace, new Map())
  const pools = new Map<string, AccountFacts>([
    [addr('POOL1'), { dedustPool: { assets: [null, addr('A')] } }],
    [addr('POOL2'), { dedustPool: { assets: [addr('A'), addr('B')] } }],
  ])
  const loaded = new Map([...pools].filter(([address]) => accounts.has(address)))
  const row = classifyTrace(trace, loaded).actions.find(({ type }) => type === 'jetton_swap')
  expect([row?.success, row?.asset2]).toEqual([false, addr('B')])
})
