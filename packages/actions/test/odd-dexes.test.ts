// DEXes: rules for which there is no recorded trace.
import type { Builder, Cell } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import { addr, q, type Sketch, storeAddr } from './build-trace.ts'
import {
  classify,
  type Facts,
  jettonTransfer,
  only,
  ref,
  storeAsset,
  toncoBurn,
  types,
  wallet,
} from './hand-made.ts'

const PTON = '0:949C4C66760C002800E2FA3D8A3CA4E1C90A9373B53AE7472033483BF14CD95E'
const OK = 0xc64370e5
const ptonWallet = (owner: string) => ({ jettonWallet: { owner: addr(owner), jetton: PTON } })
/** pTON that a router sends: its wallet hands over the TON. */
const unwrapped = (amount: bigint, to = 'ALICE'): Sketch => ({
  ...jettonTransfer('ROUTER', to, { amount: 1n }),
  to: 'PTON_J',
  sends: [{ to, body: q(0x01f3835d).storeCoins(amount) }],
})
/** TON that a user sends as pTON. */
const wrapped = (amount: bigint, notified: readonly Sketch[]): Sketch => ({
  to: 'PTON_J',
  body: storeAddr(q(0x01f3835d).storeCoins(amount), 'ALICE').storeBit(false),
  sends: [
    {
      to: 'ROUTER',
      body: storeAddr(q(0x7362d09c).storeCoins(amount), 'ALICE').storeBit(false),
      sends: notified,
    },
  ],
})
const HOLDERS: Facts = {
  ROUTER_J: wallet('ROUTER', 'USDT'),
  ALICE_J: wallet('ALICE', 'USDT'),
  PTON_J: ptonWallet('ROUTER'),
  ALICE_LP: wallet('ALICE', 'LP'),
}

describe('STON.fi v2', () => {
  const payTo = (
    sends: readonly Sketch[],
    [amount0, token0, amount1, token1]: readonly [bigint, string, bigint, string] = [
      0n,
      'ROUTER_J',
      0n,
      'PTON_J',
    ],
    exitCode = OK,
  ): Sketch => ({
    to: 'ROUTER',
    body: storeAddr(storeAddr(storeAddr(q(0x657b54f5), 'ALICE'), 'ALICE'), 'ALICE')
      .storeUint(exitCode, 32)
      .storeBit(false)
      .storeRef(
        ref((b) =>
          storeAddr(storeAddr(b.storeCoins(0n).storeCoins(amount0), token0).storeCoins(amount1), token1),
        ),
      ),
    sends,
  })
  const given = jettonTransfer('ROUTER', 'ALICE', { amount: 60n })

  test('burnt liquidity returns as two assets', () => {
    const burn: Sketch = {
      to: 'ALICE_LP',
      body: storeAddr(q(0x595f07bc).storeCoins(33n), 'ALICE'),
      sends: [{ to: 'POOL', body: q(0x297437cf), sends: [payTo([given]), payTo([unwrapped(9n)])] }],
    }
    const actions = classify([burn], HOLDERS)
    expect(types(actions)).toEqual(['dex_withdraw_liquidity'])
    expect(actions[0]).toMatchObject({
      success: true,
      source: addr('ALICE'),
      source_secondary: addr('ALICE_LP'),
      destination: addr('POOL'),
      asset: addr('LP'),
      dex_withdraw_liquidity_data: {
        dex: 'stonfi_v2',
        lp_tokens_burnt: 33n,
        is_refund: false,
        amount1: 60n,
        asset1_out: addr('USDT'),
        user_jetton_wallet_1: addr('ALICE_J'),
        dex_wallet_1: addr('ROUTER'),
        dex_jetton_wallet_1: addr('ROUTER_J'),
        amount2: 9n,
        asset2_out: null,
        user_jetton_wallet_2: null,
      },
    })
  })

  test('one half of a deposit is refunded on request', () => {
    const refundMe: Sketch = {
      to: 'ACCOUNT',
      body: q(0x132b9a2c),
      sends: [{ to: 'POOL', body: q(0x0f98e2b8), sends: [payTo([given])] }],
    }
    const actions = classify([refundMe], HOLDERS)
    expect(types(actions)).toEqual(['dex_withdraw_liquidity'])
    expect(actions[0]).toMatchObject({
      source: addr('ALICE'),
      source_secondary: null,
      destination: addr('POOL'),
      asset: null,
      dex_withdraw_liquidity_data: { lp_tokens_burnt: null, is_refund: true, amount1: 60n, amount2: null },
    })
  })

  const step = (b: Builder, token: string, more?: Cell): Builder =>
    storeAddr(storeAddr(storeAddr(b.storeUint(0x6664de2a, 32), token), 'ALICE'), 'ALICE')
      .storeUint(0, 64)
      .storeRef(
        ref((p) => {
          const head = storeAddr(p.storeCoins(1n), 'ALICE').storeCoins(0n)
          const next = more ? head.storeBit(true).storeRef(more) : head.storeBit(false)
          return storeAddr(next.storeCoins(0n).storeBit(false).storeUint(0, 16), null)
        }),
      )
  const swap = (token: string, sends: readonly Sketch[], more?: Cell): Sketch => ({
    to: 'POOL',
    body: storeAddr(q(0x6664de2a), 'ALICE')
      .storeCoins(0n)
      .storeCoins(0n)
      .storeRef(ref((b) => step(b, token, more))),
    sends,
  })

  test('a failed swap of TON names the asset that was asked for', () => {
    const back = payTo([unwrapped(50n)], [0n, 'ROUTER_J', 50n, 'PTON_J'], 0x38976e9b)
    const row = only(classify([wrapped(50n, [swap('ROUTER_J', [back])])], HOLDERS), 'jetton_swap')
    expect(row).toMatchObject({ success: false, asset: null, asset2: addr('USDT') })
    expect(row.jetton_swap_data).toMatchObject({
      peer_swaps: [],
      dex_incoming_transfer: { amount: 50n, asset: null, source: addr('ALICE'), destination: addr('ROUTER') },
      dex_outgoing_transfer: { amount: 50n, asset: null, destination: addr('ALICE') },
    })
  })

  test('a failed swap through two pools names the last asset', () => {
    const last = ref((b) => step(b, 'GOLD_J'))
    const back = payTo([unwrapped(50n)], [0n, 'ROUTER_J', 50n, 'PTON_J'], 0x38976e9b)
    const facts = { ...HOLDERS, GOLD_J: wallet('ROUTER', 'GOLD') }
    const run = (known: Facts) =>
      only(classify([wrapped(50n, [swap('ROUTER_J', [back], last)])], known), 'jetton_swap')
    expect(run(facts).asset2).toBe(addr('GOLD'))
    expect(run(HOLDERS).asset2).toBe(null)
  })

  test('TON between two pools is a hop', () => {
    const out = payTo([given], [60n, 'ROUTER_J', 0n, 'PTON_J'])
    const second: Sketch = {
      to: 'PTON_J',
      body: jettonTransfer('ROUTER', 'ROUTER', { amount: 1n }).body!,
      sends: [
        {
          to: 'ROUTER',
          body: storeAddr(q(0x01f3835d).storeCoins(40n), 'ALICE')
            .storeBit(true)
            .storeRef(ref((b) => step(b, 'ROUTER_J'))),
          sends: [
            {
              to: 'ROUTER',
              body: storeAddr(q(0x7362d09c).storeCoins(40n), 'ROUTER').storeBit(false),
              sends: [swap('ROUTER_J', [out])],
            },
          ],
        },
      ],
    }
    const first = swap('PTON_J', [payTo([second], [0n, 'GOLD_J', 40n, 'PTON_J'])])
    const facts = { ...HOLDERS, BOB_J: wallet('BOB', 'GOLD'), R2_J: wallet('R2', 'GOLD') }
    const actions = classify([jettonTransfer('BOB', 'R2', { amount: 70n, notified: [first] })], facts)
    expect(types(actions)).toEqual(['jetton_swap'])
    expect(actions[0]).toMatchObject({ success: true, asset: addr('GOLD'), asset2: addr('USDT') })
    expect(actions[0]!.jetton_swap_data!.peer_swaps).toEqual([
      { asset_in: addr('GOLD'), amount_in: 70n, asset_out: null, amount_out: 40n },
      { asset_in: null, amount_in: 40n, asset_out: addr('USDT'), amount_out: 60n },
    ])
  })
})

describe('Coffee', () => {
  const asset = (b: Builder, jetton: string | null): Builder => storeAsset(b, jetton, 2)
  const event = (input: string | null, given: bigint, taken: bigint): Sketch => ({
    to: null,
    body: asset(q(0xc0ffee30), input).storeCoins(given).storeCoins(taken).storeCoins(1n).storeCoins(2n),
  })

  test('each pool on the way is a hop, whose output is the input of the next', () => {
    const paid: Sketch = {
      to: 'ROUTER',
      body: storeAddr(q(0xc0ffee21), 'ALICE').storeCoins(60n).storeBit(false).storeBit(false),
      sends: [jettonTransfer('ROUTER', 'ALICE', { amount: 60n })],
    }
    const third: Sketch = { to: 'POOL3', body: q(0xc0ffee20), sends: [event('SILVER', 80n, 60n), paid] }
    const second: Sketch = { to: 'POOL2', body: q(0xc0ffee20), sends: [event('GOLD', 70n, 80n), third] }
    const first: Sketch = { to: 'POOL', body: q(0xc0ffee20), sends: [event(null, 50n, 70n), second] }
    const order: Sketch = { to: 'VAULT', body: q(0xc0ffee00).storeCoins(50n), sends: [first] }
    const actions = classify([order], HOLDERS)
    expect(types(actions)).toEqual(['jetton_swap'])
    expect(actions[0]!.jetton_swap_data!.peer_swaps).toEqual([
      { asset_in: null, amount_in: 50n, asset_out: addr('GOLD'), amount_out: 70n },
      { asset_in: addr('GOLD'), amount_in: 70n, asset_out: addr('SILVER'), amount_out: 80n },
      { asset_in: addr('SILVER'), amount_in: 80n, asset_out: addr('USDT'), amount_out: 60n },
    ])
  })
})

describe('TONCO', () => {
  const ticks = (b: Builder) => b.storeInt(-60, 24).storeInt(60, 24)

  test('TON deposited as pTON is the asset of its side', () => {
    const added: Sketch = {
      to: 'ACCOUNT',
      body: ticks(
        q(0x3ebe5431).storeCoins(0n).storeCoins(50n).storeCoins(70n).storeCoins(49n).storeUint(9, 128),
      ),
    }
    const funded: Sketch = { to: 'POOL', body: q(0x4468de77), sends: [added] }
    const payload = ref((b) =>
      storeAddr(b.storeUint(0x4468de77, 32), 'ROUTER_J').storeCoins(0n).storeCoins(50n),
    )
    const order = wrapped(50n, [funded])
    const notified = {
      ...order.sends![0]!,
      body: storeAddr(q(0x7362d09c).storeCoins(50n), 'ALICE').storeBit(true).storeRef(payload),
    }
    const actions = classify([{ ...order, sends: [notified] }], HOLDERS)
    expect(types(actions)).toEqual(['dex_deposit_liquidity'])
    expect(actions[0]).toMatchObject({
      source: addr('ALICE'),
      source_secondary: null,
      destination: addr('POOL'),
      destination_secondary: addr('ACCOUNT'),
      dex_deposit_liquidity_data: {
        dex: 'tonco',
        asset1: null,
        amount1: 50n,
        asset2: null,
        amount2: null,
        target_asset_1: addr('USDT'),
        target_asset_2: null,
        target_amount_1: 70n,
        target_amount_2: 49n,
        lp_tokens_minted: null,
      },
    })
  })

  test('a pay-out that never left its router is as the pool ordered it', () => {
    const coins = ref((b) => storeAddr(storeAddr(b.storeCoins(5n), 'PTON_J').storeCoins(60n), 'ROUTER_J'))
    const paid: Sketch = {
      to: 'ROUTER',
      body: storeAddr(storeAddr(q(0xa1daa96d), 'ALICE'), 'BOB')
        .storeUint(201, 32)
        .storeUint(1, 64)
        .storeBit(true)
        .storeRef(coins),
      aborted: true,
    }
    expect(
      only(classify([toncoBurn(paid)], HOLDERS), 'dex_withdraw_liquidity').dex_withdraw_liquidity_data,
    ).toMatchObject({
      amount1: 5n,
      asset1_out: null,
      user_jetton_wallet_1: addr('ALICE'),
      dex_jetton_wallet_1: null,
      amount2: 60n,
      asset2_out: addr('USDT'),
      user_jetton_wallet_2: addr('BOB'),
      dex_jetton_wallet_2: addr('ROUTER_J'),
    })
  })
})

describe('DeDust', () => {
  const asset = (b: Builder, jetton: string | null): Builder => storeAsset(b, jetton, 4)
  const pair = (b: Builder) => asset(asset(b.storeBit(false), null), 'USDT')
  const targets = (b: Builder) => b.storeCoins(1n).storeCoins(51n).storeCoins(61n)
  const ofTon = (sends: readonly Sketch[]): Sketch => ({
    to: 'VAULT',
    body: pair(q(0xd55e4686).storeCoins(50n)).storeRef(ref(targets)),
    sends: [{ to: 'FACTORY', body: q(0xf04ec526), sends }],
  })
  const ofJettons = (sends: readonly Sketch[]): Sketch =>
    jettonTransfer('ALICE', 'ROUTER', {
      amount: 60n,
      payload: ref((b) => targets(pair(b.storeUint(0x40e108d6, 32)))),
      notified: [{ to: 'FACTORY', body: q(0xf04ec526), sends }],
    })
  const deploy: Sketch = { to: 'DEPOSIT', body: q(0x9b3aa3fa) }
  const first = [deploy, { to: 'DEPOSIT', body: q(0x54240fe5) }]
  const both = ref((b) => asset(asset(b, null).storeCoins(51n), 'USDT').storeCoins(61n))
  const final = [
    deploy,
    {
      to: 'DEPOSIT',
      body: q(0x54240fe5),
      sends: [
        {
          to: 'POOL',
          body: storeAddr(q(0xb56b9598).storeRef(ref((b) => b)), 'ALICE')
            .storeCoins(1n)
            .storeRef(both),
          sends: [{ to: 'ALICE_LP', body: q(0x178d4519).storeCoins(33n) }],
        },
      ],
    },
  ]

  test.each([
    {
      order: 'TON first',
      sends: [ofTon(first), ofJettons(final)],
      expected: { asset1: null, amount1: 50n, asset2: addr('USDT'), amount2: 60n, target_amount_1: 51n },
    },
    {
      order: 'jettons first: targets follow the assets',
      sends: [ofJettons(first), ofTon(final)],
      expected: { asset1: addr('USDT'), amount1: 60n, asset2: null, amount2: 50n, target_amount_1: 61n },
    },
  ])('two halves of a deposit are one: $order', ({ sends, expected }) => {
    const actions = classify(sends, HOLDERS)
    expect(types(actions)).toEqual(['dex_deposit_liquidity'])
    expect(actions[0]).toMatchObject({
      source: addr('ALICE'),
      destination: addr('POOL'),
      destination_secondary: addr('DEPOSIT'),
      dex_deposit_liquidity_data: { dex: 'dedust', lp_tokens_minted: 33n, ...expected },
    })
  })
})
