// DEXes: hand-made traces for cases that no recorded trace contains.
import type { Builder } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import { addr, op, q, type Sketch, storeAddr } from './build-trace.ts'
import {
  classify,
  type Facts,
  internalTransfer,
  jettonTransfer,
  only,
  ref,
  storeAsset,
  TON,
  toncoBurn,
  types,
  wallet,
} from './hand-made.ts'

const dedustAsset = (b: Builder, jetton: string | null): Builder => storeAsset(b, jetton, 4)

describe('DeDust', () => {
  const event = (from: string | null, to: string | null): Sketch => ({
    to: null,
    body: dedustAsset(dedustAsset(op(0x9c610de3), from), to)
      .storeCoins(50n)
      .storeCoins(60n),
  })
  const swap = (sends: readonly Sketch[]): Sketch => {
    const step = storeAddr(q(0xea06185d).storeCoins(50n), 'POOL')
      .storeBit(false)
      .storeCoins(1n)
      .storeBit(false)
    return { to: 'VAULT', body: step, sends: [{ to: 'POOL', body: q(0x61ee542d), sends }] }
  }
  const out = {
    to: 'VAULT2',
    body: q(0xad4eb6f5)
      .storeRef(ref((b) => b))
      .storeCoins(60n),
    sends: [jettonTransfer('VAULT2', 'ALICE', { amount: 60n })],
  }
  const facts: Facts = { ALICE_J: wallet('ALICE', 'USDT') }

  test('TON becomes a jetton; the event gives the assets although the pool is unknown', () => {
    const row = only(classify([swap([event(null, 'USDT'), out])], facts), 'jetton_swap')
    expect(row).toMatchObject({ success: true, asset: null, asset2: addr('USDT'), source: addr('ALICE') })
    expect(row.jetton_swap_data).toMatchObject({
      dex: 'dedust',
      peer_swaps: [],
      dex_incoming_transfer: { amount: 50n, destination: addr('VAULT') },
      dex_outgoing_transfer: { amount: 60n, asset: addr('USDT'), destination_jetton_wallet: addr('ALICE_J') },
    })
  })

  test('two pools are two hops, in the order of their events', () => {
    const second: Sketch = { to: 'POOL2', body: q(0x72aca8aa), sends: [event('MIDDLE', 'USDT'), out] }
    const row = only(classify([swap([event(null, 'MIDDLE'), second])], facts), 'jetton_swap')
    expect(row).toMatchObject({ success: true, asset: null, destination: addr('ALICE') })
    expect(row.jetton_swap_data!.peer_swaps).toEqual([
      { asset_in: null, amount_in: 50n, asset_out: addr('MIDDLE'), amount_out: 60n },
      { asset_in: addr('MIDDLE'), amount_in: 50n, asset_out: addr('USDT'), amount_out: 60n },
    ])
  })

  test('the requested route decides the asset when the pools are known', () => {
    const pools: Facts = { ...facts, POOL: { dedustPool: { assets: [null, addr('WANTED')] } } }
    expect(only(classify([swap([event(null, 'USDT'), out])], pools), 'jetton_swap').asset2).toBe(
      addr('WANTED'),
    )
  })

  test('a swap without its event has failed', () => {
    expect(only(classify([swap([out])], facts), 'jetton_swap').success).toBe(false)
  })

  test('burnt liquidity returns as two assets', () => {
    const ton: Sketch = {
      to: 'VAULT',
      body: q(0xad4eb6f5)
        .storeRef(ref((b) => b))
        .storeCoins(9n),
      sends: [{ to: 'ALICE', body: q(0x474f86cf), value: 8n }],
    }
    const burn: Sketch = {
      to: 'ALICE_LP',
      body: storeAddr(q(0x595f07bc).storeCoins(33n), 'ALICE'),
      sends: [{ to: 'POOL', body: q(0x7bdd97de), sends: [ton, out] }],
    }
    const row = only(
      classify([burn], { ...facts, ALICE_LP: wallet('ALICE', 'LP') }),
      'dex_withdraw_liquidity',
    )
    expect(row.dex_withdraw_liquidity_data).toMatchObject({
      lp_tokens_burnt: 33n,
      amount1: 9n,
      asset1_out: null,
      amount2: 60n,
      asset2_out: addr('USDT'),
    })
  })
})

describe('STON.fi v2 liquidity', () => {
  const provide = (amount: bigint, lp: bigint | null): Sketch => ({
    to: 'POOL',
    body: storeAddr(q(0x37c096df), 'ALICE').storeCoins(amount).storeCoins(0n),
    sends: [
      {
        to: 'ACCOUNT',
        body: q(0x50c6a654),
        sends:
          lp === null
            ? []
            : [
                {
                  to: 'POOL',
                  body: q(0x06ecd527),
                  sends: [{ to: 'ALICE_LP', body: internalTransfer(lp, 'POOL') }],
                },
              ],
      },
    ],
  })
  const facts: Facts = { ROUTER_J: wallet('ROUTER', 'USDT'), R2_J: wallet('R2', 'GOLD') }

  test('two halves below one message become one deposit', () => {
    const actions = classify(
      [
        jettonTransfer('ALICE', 'ROUTER', { notified: [provide(100n, null)] }),
        jettonTransfer('ALICE', 'R2', { notified: [provide(200n, 77n)] }),
      ],
      facts,
    )
    expect(types(actions)).toEqual(['dex_deposit_liquidity'])
    expect(actions[0]!.dex_deposit_liquidity_data).toMatchObject({
      amount1: 200n,
      asset1: addr('GOLD'),
      amount2: 100n,
      asset2: addr('USDT'),
      lp_tokens_minted: 77n,
    })
  })

  test('a deposit by another user beside it is left alone', () => {
    const other: Sketch = {
      ...provide(5n, 6n),
      body: storeAddr(q(0x37c096df), 'BOB').storeCoins(5n).storeCoins(0n),
    }
    const actions = classify(
      [
        jettonTransfer('ALICE', 'ROUTER', { notified: [provide(100n, null)] }),
        jettonTransfer('ALICE', 'R2', { notified: [other] }),
      ],
      facts,
    )
    expect(types(actions)).toEqual(['dex_deposit_liquidity', 'dex_deposit_liquidity'])
  })
})

describe('Coffee', () => {
  const coffeeAsset = (b: Builder, jetton: string | null): Builder => storeAsset(b, jetton, 2)

  test('a vault is created for an asset', () => {
    const body = coffeeAsset(q(0xc0ffee06), 'USDT')
    const row = only(
      classify([{ to: 'FACTORY', body, sends: [{ to: 'VAULT', body: q(0xc0ffee22) }] }]),
      'coffee_create_vault',
    )
    expect(row).toMatchObject({ destination: addr('VAULT'), asset: addr('USDT'), value: TON })
  })

  const payInternal = (sends: readonly Sketch[]): Sketch => ({
    to: 'VAULT2',
    body: storeAddr(q(0xc0ffee21), 'BOB').storeCoins(60n).storeBit(false).storeBit(false),
    sends,
  })
  const notified: Sketch = {
    to: 'CAROL',
    body: q(0xc0ffee36).storeRef(ref((b) => b)),
    value: 7n,
  }
  const inTon: Sketch = { to: 'BOB', body: q(0xc0ffee32), value: 65n }
  const inJettons = jettonTransfer('VAULT2', 'BOB', { amount: 60n })
  const holders: Facts = { VAULT2_J: wallet('VAULT2', 'USDT'), BOB_J: wallet('BOB', 'USDT') }

  test.each([
    { given: inTon, asset: null },
    { given: inJettons, asset: addr('USDT') },
  ])('who is notified of a swap is not who received it: $asset', ({ given, asset }) => {
    const event: Sketch = {
      to: null,
      body: coffeeAsset(q(0xc0ffee30), null).storeCoins(50n).storeCoins(60n).storeCoins(1n).storeCoins(2n),
    }
    const swap: Sketch = {
      to: 'VAULT',
      body: q(0xc0ffee00).storeCoins(50n),
      sends: [{ to: 'POOL', body: q(0xc0ffee20), sends: [event, payInternal([notified, given])] }],
    }
    const row = only(classify([swap], holders), 'jetton_swap')
    expect(row).toMatchObject({ destination: addr('BOB'), asset2: asset })
    expect(row.jetton_swap_data!.dex_outgoing_transfer).toMatchObject({ amount: 60n, asset })
  })

  test('who is notified of a withdrawal is not who received it', () => {
    const burn: Sketch = {
      to: 'ALICE_LP',
      body: storeAddr(q(0x595f07bc).storeCoins(33n), 'ALICE'),
      sends: [
        {
          to: 'POOL',
          body: q(0x7bdd97de),
          sends: [
            payInternal([notified, inJettons]),
            payInternal([notified, inTon]),
            { to: null, body: q(0xc0ffee35).storeCoins(60n).storeCoins(60n).storeCoins(33n) },
          ],
        },
      ],
    }
    const facts: Facts = { ...holders, ALICE_LP: wallet('ALICE', 'LP') }
    const row = only(classify([burn], facts), 'dex_withdraw_liquidity')
    expect(row.dex_withdraw_liquidity_data).toMatchObject({
      asset1_out: null,
      user_jetton_wallet_1: addr('BOB'),
      asset2_out: addr('USDT'),
      user_jetton_wallet_2: addr('BOB_J'),
    })
  })

  test('held funds include the fee and its cause; a failed swap says who is refunded', () => {
    const actions = classify([
      { to: 'MEV', body: q(0x6bc79e7e), value: 4n * TON },
      { to: 'FEES', body: op(0xc0ffeea0) },
    ])
    expect(types(actions)).toEqual(['coffee_mev_protect_hold_funds', 'call_contract', 'call_contract'])
    expect(actions[0]).toMatchObject({ amount: 4n * TON, destination: addr('MEV') })
    const failed = classify([{ to: 'MEV', body: storeAddr(q(0xee51ce51), 'BOB') }])
    expect(only(failed, 'coffee_mev_protect_failed_swap').destination).toBe(addr('BOB'))
  })
})

describe('a new pool on TONCO is as ordered', () => {
  const nothing = ref((b) => b)
  const admins = (b: Builder) => storeAddr(storeAddr(b.storeBit(true), 'ADMIN').storeBit(true), 'ALICE')
  const settings = (b: Builder, isActive: boolean) =>
    b
      .storeBit(true)
      .storeInt(60, 24)
      .storeBit(true)
      .storeUint(1n << 96n, 160)
      .storeBit(true)
      .storeBit(isActive)
  const inV1 = settings(admins(q(0x441c39ed).storeBit(true)), true)
  const later = settings(q(0x441c39ed).storeBit(true), true).storeRef(ref(admins))

  test.each([
    { form: 'by the SDK', activate: true, passedOn: inV1 },
    { form: 'by the SDK through a later router', activate: true, passedOn: later },
    { form: 'without the bit that activates it', activate: undefined, passedOn: inV1 },
  ])('$form', ({ activate, passedOn }) => {
    const head = storeAddr(storeAddr(q(0x2e3034ef), 'R0'), 'R1')
      .storeInt(60, 24)
      .storeUint(1n << 96n, 160)
    const order = (activate === undefined ? head : head.storeBit(activate))
      .storeUint(1000, 16)
      .storeUint(30, 16)
      .storeUint(31, 16)
      .storeRef(nothing)
      .storeRef(nothing)
      .storeRef(ref((b) => storeAddr(storeAddr(storeAddr(b, 'USDT'), 'GOLD'), 'ALICE')))
    const created = classify([{ to: 'ROUTER', body: order, sends: [{ to: 'POOL', body: passedOn }] }])
    expect(only(created, 'tonco_deploy_pool').tonco_deploy_pool_data).toEqual({
      jetton0_router_wallet: addr('R0'),
      jetton1_router_wallet: addr('R1'),
      jetton0_minter: addr('USDT'),
      jetton1_minter: addr('GOLD'),
      tick_spacing: 60,
      initial_price_x96: 1n << 96n,
      protocol_fee: 1000,
      lp_fee_base: 30,
      lp_fee_current: 31,
      pool_active: true,
    })
  })
})

test('TON that a later router of TONCO pays out of a pool is TON', () => {
  const coins = ref((b) => storeAddr(storeAddr(b.storeCoins(5n), 'PTON_J').storeCoins(60n), 'ROUTER_J'))
  const payTo = storeAddr(storeAddr(q(0xa1daa96d), 'ALICE'), 'ALICE')
    .storeUint(201, 32)
    .storeUint(1, 64)
    .storeBit(true)
    .storeRef(coins)
  const wrapped = { ...jettonTransfer('ROUTER', 'ALICE'), to: 'PTON_J' }
  const given = { ...wrapped, sends: [{ to: 'ALICE', body: q(0x01f3835d).storeCoins(5n) }] }
  const paid = {
    to: 'ROUTER',
    body: payTo,
    sends: [given, jettonTransfer('ROUTER', 'ALICE', { amount: 60n })],
  }
  const pton = '0:949C4C66760C002800E2FA3D8A3CA4E1C90A9373B53AE7472033483BF14CD95E'
  const facts: Facts = {
    ROUTER_J: wallet('ROUTER', 'USDT'),
    ALICE_J: wallet('ALICE', 'USDT'),
    PTON_J: { jettonWallet: { owner: addr('ROUTER'), jetton: pton } },
  }
  const row = only(classify([toncoBurn(paid)], facts), 'dex_withdraw_liquidity')
  expect(row.dex_withdraw_liquidity_data).toMatchObject({
    amount1: 5n,
    asset1_out: null,
    user_jetton_wallet_1: null,
    dex_wallet_1: addr('ROUTER'),
    dex_jetton_wallet_1: null,
    amount2: 60n,
    asset2_out: addr('USDT'),
  })
})
