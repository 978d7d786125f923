// DeDust pools without vaults: hand-made traces, because the recorded ones are older than the pools.
import type { Builder, Cell } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import { type ActionRow, expandSupportedTypes, isShown, renderAction } from '../src/index.ts'
import { addr, op, q, type Sketch, storeAddr } from './build-trace.ts'
import { classify, type Facts, jettonTransfer, only, ref, TON, types, wallet } from './hand-made.ts'

const EXCESS: Sketch = { to: 'ALICE', body: q(0xd53276db), value: 3n }

/** Order to swap, which names the pools after the first one. */
const swapOrder = (least: bigint, next?: Cell): Cell => {
  const head = op(0xc442500f)
    .storeCoins(least)
    .storeUint(0, 40)
    .storeBit(next !== undefined)
  return (next ? head.storeRef(next) : head).storeBit(false).storeBit(false).endCell()
}
const step = (pool: string, least: bigint): Cell =>
  ref((b) => storeAddr(b, pool).storeCoins(least).storeUint(0, 40).storeBit(false))
const config = ref((b) => b.storeBit(false))

const payNative = (amount: bigint, order: Cell): Builder =>
  q(0xa5a7cbf8).storeCoins(amount).storeRef(order).storeRef(config)
const payJetton = (order: Cell): Cell => op(0xcbc33949).storeRef(order).storeRef(config).endCell()
const swapEvent = (paid: bigint, taken: bigint): Sketch => ({
  to: null,
  body: op(0x78e79ba4).storeBit(true).storeCoins(paid).storeCoins(taken),
})
const payout = (to: string, amount: bigint, exitCode = 0): Sketch => ({
  to,
  value: amount + 5n,
  body: q(0x3216ca09).storeCoins(amount).storeInt(exitCode, 32).storeBit(false),
})

const FACTS: Facts = {
  ALICE_J: wallet('ALICE', 'USDT'),
  POOL_J: wallet('POOL', 'USDT'),
  POOL2_J: wallet('POOL2', 'USDT'),
  POOL: { dedustPool: { assets: [null, addr('USDT')] } },
}

const without = (payment: Sketch): readonly ActionRow[] => classify([payment], FACTS)

describe('a swap', () => {
  test('of TON for jettons takes its amounts from the event of the pool', () => {
    const actions = without({
      to: 'POOL',
      value: 6n * TON,
      body: payNative(5n * TON, swapOrder(90n)),
      sends: [swapEvent(5n * TON, 100n), jettonTransfer('POOL', 'ALICE'), EXCESS],
    })
    expect(types(actions)).toEqual(['jetton_swap'])
    expect(actions[0]).toMatchObject({
      success: true,
      source: addr('ALICE'),
      destination: addr('ALICE'),
      destination_secondary: addr('ALICE_J'),
      asset: null,
      asset2: addr('USDT'),
    })
    expect(actions[0]!.jetton_swap_data).toMatchObject({
      dex: 'dedust_v2',
      min_out_amount: 90n,
      dex_incoming_transfer: { amount: 5n * TON, asset: null, destination: addr('POOL') },
      dex_outgoing_transfer: { amount: 100n, asset: addr('USDT'), source: addr('POOL') },
      peer_swaps: [],
    })
  })

  test('of jettons for TON through two pools has both hops and the last limit', () => {
    const second: Sketch = {
      to: 'POOL3',
      body: payNative(50n, swapOrder(40n)),
      sends: [swapEvent(50n, 45n), payout('ALICE', 45n)],
    }
    const order = swapOrder(48n, step('POOL3', 40n))
    const actions = without(
      jettonTransfer('ALICE', 'POOL', {
        payload: payJetton(order),
        notified: [swapEvent(100n, 50n), second, EXCESS],
      }),
    )
    expect(types(actions)).toEqual(['jetton_swap'])
    expect(actions[0]!.jetton_swap_data).toMatchObject({
      min_out_amount: 40n,
      dex_incoming_transfer: { amount: 100n, asset: addr('USDT'), source_jetton_wallet: addr('ALICE_J') },
      dex_outgoing_transfer: { amount: 45n, asset: null, source: addr('POOL3'), destination: addr('ALICE') },
      peer_swaps: [
        { asset_in: addr('USDT'), amount_in: 100n, asset_out: null, amount_out: 50n },
        { asset_in: null, amount_in: 50n, asset_out: null, amount_out: 45n },
      ],
    })
  })

  test('that goes on to a second pool in jettons is one swap', () => {
    const onward = jettonTransfer('POOL', 'POOL2', {
      payload: payJetton(swapOrder(1n)),
      notified: [swapEvent(100n, 7n), payout('ALICE', 7n)],
    })
    const actions = without({
      to: 'POOL',
      body: payNative(TON, swapOrder(1n)),
      sends: [swapEvent(TON, 100n), onward],
    })
    expect(types(actions)).toEqual(['jetton_swap'])
    expect(actions[0]!.jetton_swap_data?.peer_swaps).toHaveLength(2)
  })

  test.each([
    ['TON', { to: 'POOL', body: payNative(TON, swapOrder(90n)), sends: [payout('ALICE', TON, 9), EXCESS] }],
    [
      'jettons',
      jettonTransfer('ALICE', 'POOL', {
        payload: payJetton(swapOrder(90n)),
        notified: [jettonTransfer('POOL', 'ALICE')],
      }),
    ],
  ] satisfies [string, Sketch][])(
    'of %s that the pool refused has failed, and paid nothing',
    (what, sketch) => {
      const row = only(without(sketch), 'jetton_swap')
      const [paid, wanted] = what === 'TON' ? [null, addr('USDT')] : [addr('USDT'), null]
      expect(row).toMatchObject({ success: false, asset: paid, asset2: wanted, destination: addr('ALICE') })
      expect(row.jetton_swap_data).toMatchObject({
        min_out_amount: 90n,
        dex_outgoing_transfer: { amount: 0n, asset: wanted, source: addr('POOL') },
      })
    },
  )

  test('is not seen in a payment for something else, or one returned to somebody else', () => {
    const other = { to: 'POOL', body: payNative(TON, op(1).endCell()), sends: [payout('ALICE', TON, 9)] }
    expect(types(without(other))).toEqual(['call_contract', 'call_contract'])
    const astray = { to: 'POOL', body: payNative(TON, swapOrder(1n)), sends: [payout('BOB', TON, 9)] }
    expect(types(without(astray))).toEqual(['call_contract', 'call_contract'])
  })
})

describe('a withdrawal', () => {
  const withdraw = (claimFees: boolean, sends: readonly Sketch[]): readonly ActionRow[] =>
    without({
      to: 'POOL',
      body: q(0x20b5ef89).storeCoins(30n).storeCoins(0n).storeCoins(0n).storeBit(claimFees).storeRef(config),
      sends: [{ to: 'POSITION', body: q(0xbc1531a9), sends: [{ to: 'POOL', body: q(0xf6f6a3aa), sends }] }],
    })
  const event: Sketch = { to: null, body: op(0xc0d77b54).storeCoins(29n) }

  test('has what the pool paid and the liquidity of its event', () => {
    const row = only(
      withdraw(false, [event, jettonTransfer('POOL', 'ALICE'), payout('ALICE', 8n)]),
      'dex_withdraw_liquidity',
    )
    expect(row).toMatchObject({
      success: true,
      source: addr('ALICE'),
      destination: addr('POOL'),
      asset: null,
    })
    expect(row.dex_withdraw_liquidity_data).toMatchObject({
      dex: 'dedust_v2',
      amount1: 100n,
      asset1_out: addr('USDT'),
      user_jetton_wallet_1: addr('ALICE_J'),
      amount2: 8n,
      asset2_out: null,
      dex_wallet_2: addr('POOL'),
      lp_tokens_burnt: 29n,
    })
  })

  test('without the event has failed; with fees claimed along it is not read', () => {
    const refused = only(withdraw(false, []), 'dex_withdraw_liquidity')
    expect(refused).toMatchObject({ success: false, dex_withdraw_liquidity_data: { lp_tokens_burnt: 30n } })
    expect(types(withdraw(true, [event]))).not.toContain('dex_withdraw_liquidity')
  })
})

describe('a deposit', () => {
  const order = op(0xc9a015da).storeCoins(6n).storeCoins(110n).storeCoins(0n).storeUint(0, 16).endCell()
  const credit = (isFirst: boolean, amount: bigint, sends: readonly Sketch[] = []): Sketch => ({
    to: 'DEPOSIT',
    body: q(0xdc5ddba1).storeBit(isFirst).storeCoins(amount),
    sends,
  })
  const join = (sends: readonly Sketch[]): Sketch => ({
    to: 'POOL',
    body: storeAddr(q(0x25251ee0).storeRef(config).storeCoins(6n).storeCoins(100n), 'ALICE'),
    sends,
  })
  const native = (credited: Sketch): Sketch => ({
    to: 'POOL',
    body: payNative(6n, order),
    sends: [credited],
  })
  const jettons = (credited: Sketch): Sketch =>
    jettonTransfer('ALICE', 'POOL', { payload: payJetton(order), notified: [credited] })
  const done: readonly Sketch[] = [
    { to: null, body: op(0x35df2e12).storeCoins(5n).storeCoins(99n).storeCoins(22n) },
    { to: 'POSITION', body: q(0x855afcbd) },
    payout('ALICE', 1n),
  ]

  test('of which one asset has arrived waits for the other', () => {
    const row = only(without(native(credit(true, 6n))), 'dex_deposit_liquidity')
    expect(row).toMatchObject({ source: addr('ALICE'), destination: addr('POOL') })
    expect(row.destination_secondary).toBe(addr('DEPOSIT'))
    expect(row.dex_deposit_liquidity_data).toMatchObject({
      amount1: 6n,
      amount2: null,
      lp_tokens_minted: null,
    })
  })

  test('of which one asset has arrived has no targets, which belong to the whole', () => {
    const row = only(without(jettons(credit(false, 100n))), 'dex_deposit_liquidity')
    expect(row.dex_deposit_liquidity_data).toMatchObject({
      ...{ asset2: addr('USDT'), amount2: 100n, user_jetton_wallet_2: addr('ALICE_J') },
      ...{ target_asset_1: null, target_asset_2: null, target_amount_1: null, target_amount_2: null },
    })
  })

  test('of two assets in one trace is one action', () => {
    const both = [native(credit(true, 6n)), jettons(credit(false, 100n, [join(done)]))]
    const actions = classify(both, FACTS)
    expect(types(actions)).toEqual(['dex_deposit_liquidity'])
    expect(actions[0]).toMatchObject({ success: true, source: addr('ALICE'), destination: addr('POOL') })
    expect(actions[0]!.dex_deposit_liquidity_data).toMatchObject({
      dex: 'dedust_v2',
      amount1: 5n,
      asset1: null,
      amount2: 99n,
      asset2: addr('USDT'),
      user_jetton_wallet_2: addr('ALICE_J'),
      lp_tokens_minted: 22n,
      target_asset_2: addr('USDT'),
      target_amount_1: 6n,
      target_amount_2: 110n,
      vault_excesses: [{ asset: null, amount: 1n }],
    })
    // The same whichever asset completes the deposit.
    const reverse = [jettons(credit(false, 100n)), native(credit(true, 6n, [join(done)]))]
    expect(classify(reverse, FACTS)[0]!.dex_deposit_liquidity_data).toEqual(
      actions[0]!.dex_deposit_liquidity_data,
    )
  })

  test('that the pool returned has failed', () => {
    const refused = join([jettonTransfer('POOL', 'ALICE'), payout('ALICE', 6n, 4), EXCESS])
    const row = only(without(jettons(credit(false, 100n, [refused]))), 'dex_deposit_liquidity')
    expect(row.success).toBe(false)
    expect(row.dex_deposit_liquidity_data).toMatchObject({
      amount1: 6n,
      amount2: 100n,
      lp_tokens_minted: null,
      vault_excesses: [
        { asset: addr('USDT'), amount: 100n },
        { asset: null, amount: 6n },
      ],
    })
  })
})

describe('a claim', () => {
  /** The pool asks the position, which orders what the pool pays. */
  const claim = (opcodes: readonly [number, number, number], order: Builder, paid: readonly Sketch[]) =>
    without({
      to: 'POOL',
      body: q(opcodes[0]),
      sends: [
        {
          to: 'POSITION',
          body: q(opcodes[1]),
          sends: [{ to: 'POOL', body: order, sends: paid }],
        },
      ],
    })
  const fees = (first: bigint, second: bigint, paid: readonly Sketch[]) =>
    claim(
      [0x5652f1df, 0x25f19752, 0x29ff1bcf],
      storeAddr(q(0x29ff1bcf).storeCoins(first).storeCoins(second), 'ALICE'),
      paid,
    )
  const reward = (amount: bigint, paid: readonly Sketch[]) =>
    claim([0x909fdb65, 0x2e0cccba, 0x9e17fbbe], q(0x9e17fbbe).storeCoins(amount).storeUint(1, 2), paid)
  const of = (actions: readonly ActionRow[], type: string) => actions.find((row) => row.type === type)!

  test('of fees has each asset by its amount, whichever was paid first', () => {
    const jettons = jettonTransfer('POOL', 'ALICE')
    for (const paid of [
      [jettons, payout('ALICE', 8n), EXCESS],
      [payout('ALICE', 8n), jettons],
    ]) {
      const row = of(fees(8n, 100n, paid), 'dedust_v2_claim_fees')
      expect(row).toMatchObject({
        success: true,
        source: addr('ALICE'),
        destination: addr('POOL'),
        destination_secondary: addr('POSITION'),
      })
      expect(row.dex_withdraw_liquidity_data).toMatchObject({
        ...{ dex: 'dedust_v2', amount1: 8n, asset1_out: null, user_jetton_wallet_1: null },
        ...{ dex_wallet_1: addr('POOL'), amount2: 100n, asset2_out: addr('USDT') },
        ...{ user_jetton_wallet_2: addr('ALICE_J'), dex_wallet_2: addr('POOL'), lp_tokens_burnt: null },
        ...{ dex_jetton_wallet_2: addr('POOL_J'), is_refund: false },
      })
    }
  })

  test('of which one amount is zero has one payment, or none', () => {
    const one = of(fees(0n, 100n, [jettonTransfer('POOL', 'ALICE')]), 'dedust_v2_claim_fees')
    expect(one.dex_withdraw_liquidity_data).toMatchObject({
      ...{ amount1: 0n, dex_wallet_1: null, amount2: 100n, asset2_out: addr('USDT') },
    })
    const none = of(reward(0n, [EXCESS]), 'dedust_v2_claim_reward')
    expect(none.dex_withdraw_liquidity_data).toMatchObject({ amount1: 0n, dex_wallet_1: null, amount2: null })
  })

  test('of a reward has what the pool paid', () => {
    const row = of(reward(100n, [jettonTransfer('POOL', 'ALICE'), EXCESS]), 'dedust_v2_claim_reward')
    expect(row.dex_withdraw_liquidity_data).toMatchObject({
      ...{ amount1: 100n, asset1_out: addr('USDT'), user_jetton_wallet_1: addr('ALICE_J'), amount2: null },
    })
    expect(renderAction(row).details).toEqual({
      ...{ dex: 'dedust_v2', source: addr('ALICE'), pool: addr('POOL'), position: addr('POSITION') },
      ...{ amount_1: '100', asset_1: addr('USDT'), user_jetton_wallet_1: addr('ALICE_J') },
    })
  })

  test('is a call and what follows it for clients that do not know the type', () => {
    const actions = reward(100n, [jettonTransfer('POOL', 'ALICE')])
    const shown = (version: string) =>
      types(actions.filter((row) => isShown(row, expandSupportedTypes([version]))))
    expect(shown('v5')).toEqual(['dedust_v2_claim_reward'])
    expect(shown('latest')).toEqual(['call_contract', 'call_contract', 'call_contract', 'jetton_transfer'])
  })

  test('of which the pool did not pay what was ordered is none', () => {
    const jettons = jettonTransfer('POOL', 'ALICE')
    for (const actions of [
      fees(8n, 100n, [jettons]),
      fees(100n, 100n, [jettons]),
      fees(8n, 0n, []),
      reward(10n ** 18n, []),
      reward(101n, [jettons, EXCESS]),
    ])
      expect(types(actions).filter((type) => type.startsWith('dedust'))).toEqual([])
  })

  test('that the position did not order anything for is none', () => {
    const ask: Sketch = { to: 'POSITION', body: q(0x25f19752) }
    expect(types(without({ to: 'POOL', body: q(0x5652f1df), sends: [ask] }))).toEqual([
      ...['call_contract', 'call_contract'],
    ])
  })
})
