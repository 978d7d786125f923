// EVAA, JVault, tgBTC, Cocoon: hand-made traces for cases that no recorded trace contains.
import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { USDT_MASTER } from '@shardwalk/contracts'
import { describe, expect, test } from 'vitest'
import { renderAction } from '../src/index.ts'
import { addr, op, q, type Sketch, storeAddr } from './build-trace.ts'
import { classify, jettonTransfer, only, ref, wallet } from './hand-made.ts'

describe('EVAA', () => {
  const user = (opcode: number): Builder =>
    new Builder().storeCoins(5n).storeBit(false).storeUint(0, 2).storeUint(opcode, 32)
  const asset = 0x1a4219fe5e60d63af2a3cc7dce6fec69b45c6b5718497a6148e7c232ac87bd8an

  test('supply of TON', () => {
    const order = storeAddr(q(1).storeInt(-1, 2).storeUint(500, 64), 'BOB')
    const command = user(0x11).storeUint(7, 64).storeUint(asset, 256).storeUint(500, 64)
    const ok = storeAddr(q(0x11a), 'BOB').storeUint(asset, 256).storeUint(499, 64)
    const row = only(
      classify([
        {
          to: 'MASTER',
          body: order,
          sends: [{ to: 'BOB_EVAA', body: command, sends: [{ to: 'MASTER', body: ok }] }],
        },
      ]),
      'evaa_supply',
    )
    expect(row).toMatchObject({
      success: true,
      amount: 499n,
      destination: addr('BOB'),
      destination_secondary: addr('BOB_EVAA'),
    })
    expect(row.evaa_supply_data).toMatchObject({ is_ton: true, asset_id: `0x${asset.toString(16)}` })
  })

  const liquidation = storeAddr(storeAddr(q(3), 'DEBTOR'), 'ALICE')
    .storeUint(asset, 256)
    .storeUint(1, 64)
    .storeInt(0, 2)
    .storeUint(900, 64)
  /** The row of a liquidation that the debtor's contract answers so. */
  const liquidated = (answer: Sketch) => {
    const sends = [{ to: 'USER', body: user(0x31), sends: [answer] }]
    return only(classify([{ to: 'MASTER', body: liquidation, sends }]), 'evaa_liquidate')
  }

  test('a liquidation that is refused has the reason', () => {
    const reason = ref((b) =>
      b
        .storeUint(900, 64)
        .storeUint(asset, 256)
        .storeUint(1, 64)
        .storeUint(0, 64)
        .storeUint(0xe003, 32)
        .storeRef(ref((c) => c)),
    )
    const unsatisfied: Sketch = {
      to: 'MASTER',
      body: q(0x31f).storeRef(reason),
      sends: [{ to: 'ALICE', body: q(0x311f) }],
    }
    expect(liquidated(unsatisfied)).toMatchObject({
      success: false,
      amount: 0n,
      evaa_liquidate_data: { fail_reason: 'not_liquidatable', debt_amount: 900n },
    })
  })

  test('a liquidation has its reward', () => {
    const terms = ref((b) =>
      b
        .storeInt(-5, 64)
        .storeUint(800, 64)
        .storeUint(0, 64)
        .storeInt(0, 64)
        .storeUint(asset, 256)
        .storeInt(-6, 64)
        .storeUint(850, 64),
    )
    const won: Sketch = {
      to: 'MASTER',
      body: storeAddr(storeAddr(q(0x311), 'DEBTOR'), 'ALICE')
        .storeUint(asset, 256)
        .storeRef(terms),
      sends: [
        { to: 'USER', body: user(0x311a) },
        { to: 'ALICE', body: q(0x311d) },
      ],
    }
    const row = liquidated(won)
    expect(row).toMatchObject({
      success: true,
      amount: 850n,
      source: addr('ALICE'),
      destination: addr('DEBTOR'),
    })
    expect(row.accounts).not.toContain(asset.toString())
    const details = { amount: '850', debt_amount: '800', collateral: asset.toString() }
    expect(renderAction(row).details).toMatchObject({ ...details, asset: null, is_known_asset: true })
    const shown = (asset_id: string, network: 'mainnet' | 'testnet') =>
      renderAction({ ...row, evaa_liquidate_data: { ...row.evaa_liquidate_data!, asset_id } }, { network })
    const usdt = '0xca9006bd3fb03d355daeeff93b24be90afaa6e3ca0073ff5720f8a852c933278'
    expect(shown(usdt, 'mainnet').details).toMatchObject({ asset: USDT_MASTER, is_known_asset: true })
    expect(shown(usdt, 'testnet').details).toMatchObject({ asset: null, is_known_asset: false })
  })

  // What follows the three amounts: by version of the contract.
  test.each([
    ['a payment and a payload', (b: Builder) => b.storeUint(1, 64).storeRef(ref((c) => c))],
    ['a payload and a subaccount', (b: Builder) => b.storeRef(ref((c) => c)).storeInt(-1, 16)],
    ['nothing', (b: Builder) => b],
  ])('a contract states why it refused to be liquidated, behind %s', (_, extra) => {
    const reasonOf = (code: number, detail: Builder): unknown => {
      const report = ref((b) =>
        extra(b.storeUint(900, 64).storeUint(asset, 256).storeUint(1, 64))
          .storeUint(code, 32)
          .storeSlice(detail.endCell().slice()),
      )
      const refusal = q(0x31f).storeRef(report)
      const unsatisfied: Sketch = { to: 'MASTER', body: refusal, sends: [{ to: 'ALICE', body: q(0x311f) }] }
      return liquidated(unsatisfied).evaa_liquidate_data?.fail_reason
    }
    expect(reasonOf(0x31f2, new Builder())).toBe('not_liquidatable')
    expect(reasonOf(0x31f0, new Builder())).toBe('user_withdraw_in_progress')
    expect(reasonOf(0x31f4, new Builder().storeUint(7, 64))).toBe('user_not_enough_collateral')
    expect(reasonOf(0x12345, new Builder())).toBe('unknown')
  })
})

test('jvault rewards in two jettons are distinguished by their wallets', () => {
  const key = (name: string): bigint => (0b100n << 264n) | BigInt(`0x${addr(name).slice(2)}`)
  const dict = buildDict(
    ['POOL_J1', 'POOL_J2'].map((name) => [key(name), new Builder().storeBit(false)] as const),
    267,
  )!
  const paid = (walletName: string, amount: bigint): Sketch => ({
    ...jettonTransfer('POOL', 'ALICE', { amount }),
    to: walletName,
  })
  const row = only(
    classify(
      [
        {
          to: 'STAKE',
          body: q(0x78d9f109).storeMaybeRef(dict),
          sends: [
            {
              to: 'POOL',
              body: q(0x44bc1fe3),
              sends: [paid('POOL_J1', 11n), paid('POOL_J2', 22n), { to: 'STAKE', body: op(0xae9307ce) }],
            },
          ],
        },
      ],
      { ALICE_J: wallet('ALICE', 'REWARD') },
    ),
    'jvault_claim',
  )
  const { claimed_jettons, claimed_amounts } = row.jvault_claim_data!
  expect(new Map(claimed_jettons.map((jetton, i) => [jetton, claimed_amounts[i]]))).toEqual(
    new Map([
      [addr('POOL_J1'), 11n],
      [addr('POOL_J2'), 22n],
    ]),
  )
})

describe('tgBTC', () => {
  test('a new key is reported by two logs', () => {
    const dkg: Sketch = { to: null, body: op(0x453443a6).storeUint(1_700_000_000, 64).storeUint(0xa3n, 256) }
    const key: Sketch = {
      to: null,
      body: storeAddr(op(0x27756729).storeCoins(0n).storeUint(0xb4n, 256), 'PEGOUT'),
    }
    const row = only(
      classify([
        {
          to: 'COORDINATOR',
          body: q(1),
          sends: [dkg, { to: 'TELEPORT', body: q(0x690f357a), sends: [key] }],
        },
      ]),
      'tgbtc_new_key',
    )
    expect(row).toMatchObject({
      source: addr('COORDINATOR'),
      source_secondary: 'b4',
      destination: addr('TELEPORT'),
      value: 1_700_000_000n,
    })
  })

  const burnNotifiedBy = (notification: number) => {
    const log: Sketch = {
      to: null,
      body: storeAddr(storeAddr(op(0xca444ce6).storeCoins(9n), 'ALICE'), 'PEGOUT'),
    }
    const notified: Sketch = { to: 'TELEPORT', body: q(notification), sends: [log] }
    const burn = storeAddr(q(0x595f07bc).storeCoins(10n), 'ALICE').storeBit(false)
    const facts = { ALICE_J: wallet('ALICE', 'TGBTC') }
    return classify([{ to: 'ALICE_J', body: burn, sends: [notified] }], facts)
  }

  test('a burn goes to the peg-out of its log', () => {
    expect(only(burnNotifiedBy(0x587643a2), 'tgbtc_burn')).toMatchObject({
      source: addr('ALICE'),
      source_secondary: addr('ALICE_J'),
      destination: addr('PEGOUT'),
      asset: addr('TGBTC'),
      amount: 9n,
    })
  })

  test('a burn with the notification of TEP-74 is a burn, and its log an action that has the peg-out', () => {
    const actions = burnNotifiedBy(0x7bdd97de)
    expect(only(actions, 'tgbtc_burn_fallback')).toMatchObject({ destination: addr('PEGOUT'), amount: 9n })
    expect(only(actions, 'jetton_burn')).toMatchObject({ source: addr('ALICE'), amount: 10n })
  })

  test('a single log is a fallback', () => {
    const dkg: Sketch = { to: null, body: op(0x453443a6).storeUint(9, 64).storeUint(0x0a3n, 256) }
    const row = only(classify([{ to: 'COORDINATOR', body: q(1), sends: [dkg] }]), 'tgbtc_dkg_log_fallback')
    expect(row).toMatchObject({ asset: 'a3', value: 9n, accounts: [addr('COORDINATOR')] })
  })
})

describe('Cocoon', () => {
  const excess: Sketch = { to: 'ALICE', body: q(0x2565934c) }
  const request = (payload?: Cell): Builder => {
    const body = storeAddr(q(0x65448ff4), 'ALICE').storeRef(ref((b) => b))
    return payload ? body.storeBit(true).storeRef(payload) : body.storeBit(false)
  }
  const asked: Sketch = { to: 'PROXY', body: request() }

  test('a client registers, changes its secret and asks for a refund', () => {
    const run = (body: Builder) => classify([{ to: 'CLIENT', body, sends: [excess, asked] }])
    expect(
      only(run(storeAddr(q(0xc45f9f3b).storeUint(11, 64), 'ALICE')), 'cocoon_client_register')
        .cocoon_client_register_data,
    ).toEqual({ query_id: 7n, nonce: 11n })
    expect(
      only(run(storeAddr(q(0xa9357034).storeUint(0xabn, 256), 'ALICE')), 'cocoon_client_change_secret_hash')
        .cocoon_client_change_secret_hash_data,
    ).toEqual({
      query_id: 7n,
      new_secret_hash: 'ab',
    })
    expect(
      only(run(storeAddr(q(0xfafa6cc1), 'ALICE')), 'cocoon_client_request_refund')
        .cocoon_client_request_refund_data,
    ).toEqual({ query_id: 7n, via_wallet: false })
  })

  test('a withdrawal has the coins of the refund', () => {
    const refund = ref((b) => storeAddr(b.storeUint(0xc68ebc7b, 32).storeCoins(12n), 'ALICE'))
    const toProxy: Sketch = {
      to: 'PROXY',
      body: request(refund),
      sends: [{ to: 'ALICE', body: q(0xc59a7cd3) }],
    }
    const row = only(
      classify([{ to: 'CLIENT', body: storeAddr(q(0xda068e78), 'ALICE'), sends: [toProxy] }]),
      'cocoon_client_withdraw',
    )
    expect(row).toMatchObject({
      amount: 12n,
      destination: addr('CLIENT'),
      cocoon_client_withdraw_data: { withdraw_amount: 12n },
    })
  })
})
