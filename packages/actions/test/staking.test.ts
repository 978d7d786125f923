// Staking, elections: hand-made traces for cases that no recorded trace contains.
import { hash as digest } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { classifyTrace } from '../src/index.ts'
import { addr, buildTrace, op, q, type Sketch, storeAddr, text } from './build-trace.ts'
import { classify, type Facts, internalTransfer, jettonTransfer, only, TON, types } from './hand-made.ts'

describe('elections', () => {
  const ELECTOR = `-1:${'3'.repeat(64)}`
  const stake = (sends: readonly Sketch[]) => {
    const trace = buildTrace('ALICE', [{ to: 'ELECTOR', body: q(0x4e73744b), value: 10_000n * TON, sends }])
    const renamed = JSON.parse(
      JSON.stringify(trace, (_, v) => (typeof v === 'bigint' ? `n${v}` : v)).replaceAll(
        addr('ELECTOR'),
        ELECTOR,
      ),
      (_, v) =>
        typeof v === 'string' && /^n\d+$/.test(v)
          ? BigInt(v.slice(1))
          : v?.type === 'Buffer'
            ? Buffer.from(v.data)
            : v,
    )
    return classifyTrace(renamed, new Map()).actions
  }

  test('a stake counts once the elector confirms it', () => {
    const row = only(stake([{ to: 'ALICE', body: q(0xf374484c) }]), 'election_deposit')
    expect(row).toMatchObject({ success: true, amount: 10_000n * TON, source: addr('ALICE') })
    expect(only(stake([]), 'election_deposit').success).toBe(false)
  })
})

describe('nominator pools', () => {
  const pool: Facts = { POOL: { nominatorPool: true } }

  test('d deposits, but only into a pool', () => {
    const row = only(classify([{ to: 'POOL', body: text('d'), value: 11n * TON }], pool), 'stake_deposit')
    expect(row).toMatchObject({
      amount: 11n * TON,
      destination: addr('POOL'),
      staking_data: { provider: 'nominator' },
    })
    expect(types(classify([{ to: 'POOL', body: text('d') }]))).toEqual(['ton_transfer'])
  })

  test('w is a withdrawal if it returns more than it brought, otherwise a request', () => {
    const ask = (value: bigint) =>
      classify([{ to: 'POOL', body: text('w'), sends: [{ to: 'ALICE', value }] }], pool)
    expect(only(ask(500n * TON), 'stake_withdrawal').amount).toBe(500n * TON)
    const request = only(ask(TON / 2n), 'stake_withdrawal_request')
    expect(request.amount).toBeNull()
  })

  test('the owner pays out several nominators', () => {
    const order: Sketch = {
      to: 'POOL',
      body: q(2),
      sends: [
        { to: 'BOB', value: 5n },
        { to: 'CAROL', value: 6n },
      ],
    }
    const actions = classify([order], pool)
    const messageTo = (name: string): string =>
      buildTrace('ALICE', [order]).transactions.find(({ account }) => account === addr(name))!.inMessage!.hash
    const idOf = (hash: string, type: string): string => digest('sha256', hash + type, 'base64')
    expect(types(actions)).toEqual(['call_contract', 'stake_withdrawal', 'stake_withdrawal'])
    expect(actions.map(({ amount }) => amount)).toEqual([null, 5n, 6n])
    expect(actions[1]!.action_id).toBe(idOf(messageTo('BOB'), 'nominator_pool_withdraw_request'))
  })
})

describe('liquid staking', () => {
  test('a deposit refused by the pool has failed', () => {
    const refused = { to: 'POOL', body: q(0x47d54391), value: 3n * TON, aborted: true }
    const row = only(
      classify([{ ...refused, sends: [{ to: 'ALICE', body: op(0xffffffff) }] }]),
      'stake_deposit',
    )
    expect(row).toMatchObject({ success: false, amount: 2n * TON, asset: null })
  })

  test('an immediate withdrawal has the burnt and paid amounts', () => {
    const burn = storeAddr(q(0x595f07bc).storeCoins(40n), 'ALICE')
    const row = only(
      classify([
        {
          to: 'ALICE_J',
          body: burn,
          sends: [
            {
              to: 'MINTER',
              body: q(0x7bdd97de),
              sends: [
                {
                  to: 'POOL',
                  body: q(0x319b0cdc),
                  value: TON,
                  sends: [{ to: 'ALICE', body: q(0x0a77535c), value: 43n * TON }],
                },
              ],
            },
          ],
        },
      ]),
      'stake_withdrawal',
    )
    expect(row).toMatchObject({ amount: 42n * TON, asset: addr('MINTER'), destination: addr('POOL') })
    expect(row.staking_data).toMatchObject({ tokens_burnt: 40n })
  })
})

test('an Ethena deposit is a transfer that mints', () => {
  const USDE = '0:086FA2A675F74347B08DD4606A549B8FDB98829CB282BC1949D3B12FBAED9DCC'
  const TSUSDE = '0:D0E545323C7ACB7102653C073377F7E3C67F122EB94D430A250739F109D4A57D'
  const mint: Sketch = {
    to: 'MINTER',
    body: storeAddr(q(0x642b7d07), 'ALICE').storeCoins(1n),
    sends: [{ to: 'ALICE_TS', body: internalTransfer(95n, 'MINTER') }],
  }
  const row = only(
    classify([jettonTransfer('ALICE', 'VAULT', { notified: [mint] })], {
      VAULT_J: { jettonWallet: { owner: addr('VAULT'), jetton: USDE } },
      ALICE_TS: { jettonWallet: { owner: addr('ALICE'), jetton: TSUSDE } },
    }),
    'stake_deposit',
  )
  expect(row).toMatchObject({
    amount: 100n,
    asset: TSUSDE,
    asset2: USDE,
    staking_data: { provider: 'ethena', tokens_minted: 95n },
  })
})
