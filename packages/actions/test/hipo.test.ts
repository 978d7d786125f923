// Hipo: hand-made traces, laid out as its contracts do.
import type { Builder } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { type AccountFacts, type ActionRow, classifyTrace } from '../src/index.ts'
import { addr, buildTrace, op, q, type Sketch, storeAddr, text } from './build-trace.ts'
import { item, only, TON, types, wallet } from './hand-made.ts'

const TREASURY = '0:8BC991CFE177BC7E9721433EFA3BEFD199485A55CFFD040A06C89AF026B71BCF'

/** The account named TREASURY is the real one. */
function classify(sends: readonly Sketch[], facts: Record<string, AccountFacts> = {}): readonly ActionRow[] {
  const trace = buildTrace('ALICE', sends)
  const rename = (address: string | null) => (address === addr('TREASURY') ? TREASURY : address)
  const message = <M extends { source: string | null; destination: string | null }>(one: M): M => ({
    ...one,
    source: rename(one.source),
    destination: rename(one.destination),
  })
  const transactions = trace.transactions.map((tx) => ({
    ...tx,
    account: rename(tx.account)!,
    inMessage: tx.inMessage && message(tx.inMessage),
    outMessages: tx.outMessages.map(message),
  }))
  const known = new Map(Object.entries(facts).map(([name, fact]) => [addr(name), fact]))
  const { actions, failures } = classifyTrace({ ...trace, transactions }, known)
  expect(failures).toEqual([])
  return actions
}

const owned = (body: Builder): Builder => storeAddr(body, 'ALICE')
const minted = (tokens: bigint, coins: bigint): Sketch => ({
  to: 'MASTER',
  body: owned(q(0x5be57626).storeCoins(tokens).storeCoins(coins)).storeUint(0, 32),
  sends: [
    {
      to: 'ALICE_H',
      body: owned(q(0x5445efee).storeCoins(tokens).storeCoins(coins)).storeUint(0, 32),
      sends: [{ to: 'ALICE', body: q(0x7362d09c) }],
    },
  ],
})
const burned = (tokens: bigint, coins: bigint): Sketch => ({
  to: 'MASTER',
  body: owned(q(0x4476fde0).storeCoins(tokens).storeCoins(coins)),
  sends: [
    {
      to: 'ALICE_H',
      body: q(0x5b512e25),
      sends: [{ to: 'ALICE', body: q(0xf0fa223b), value: coins }],
    },
  ],
})
const rolledBack = (tokens: bigint): Sketch => ({
  to: 'MASTER',
  body: owned(q(0x32b67194).storeCoins(tokens)),
  sends: [{ to: 'ALICE_H', body: q(0x1b77fd1a) }],
})
const bill = (amount: bigint): Sketch => ({
  to: 'BILLS',
  body: storeAddr(owned(q(0x4b2d7871).storeCoins(amount).storeBit(true)), 'MASTER').storeCoins(0n),
  sends: [{ to: 'BILL', body: q(0x3275dfc2), deploys: true }],
})
const BILL = { BILL: item({ collection: addr('BILLS') }) }
const deposit = owned(q(0x3d3761a6)).storeCoins(0n).storeCoins(0n)
const toTreasury = (body: Builder, sends: readonly Sketch[]): Sketch => ({
  to: 'TREASURY',
  value: 6n * TON,
  body,
  sends,
})

test('a deposit that is served at once, by a call or the comment of nominator pools', () => {
  for (const body of [storeAddr(deposit, null), text('d'), text('D')]) {
    const row = only(classify([toTreasury(body, [minted(4n, 5n)])]), 'stake_deposit')
    expect(row).toMatchObject({
      success: true,
      source: addr('ALICE'),
      source_secondary: addr('ALICE_H'),
      destination: TREASURY,
      asset: addr('MASTER'),
      amount: 5n,
      staking_data: { provider: 'hipo', tokens_minted: 4n, ts_nft: null },
    })
  }
  expect(types(classify([toTreasury(text('deposit'), [])]))).toEqual(['ton_transfer'])
})

test('a deposit that waits for the end of the round has a bill and no tokens', () => {
  const saved: Sketch = {
    to: 'MASTER',
    body: q(0x47daa10f).storeCoins(5n),
    sends: [{ to: 'ALICE_H', body: q(0x4cce0e74) }],
  }
  const actions = classify([toTreasury(storeAddr(deposit, null), [saved, bill(5n)])], BILL)
  expect(only(actions, 'stake_deposit')).toMatchObject({
    success: true,
    amount: 5n,
    source_secondary: addr('ALICE_H'),
    staking_data: { tokens_minted: null, ts_nft: addr('BILL') },
  })
  expect(types(actions)).toEqual(['stake_deposit', 'nft_mint', 'contract_deploy'])
})

test('a deposit that the treasury refused has failed', () => {
  const refused = { ...toTreasury(storeAddr(deposit, null), []), aborted: true }
  expect(only(classify([refused]), 'stake_deposit')).toMatchObject({ success: false, amount: 6n * TON })
})

const unstake = (answer: Sketch): readonly ActionRow[] => {
  const reserve = owned(q(0x386a358b).storeCoins(4n)).storeUint(0, 4).storeCoins(0n)
  return classify(
    [
      {
        to: 'ALICE_H',
        body: storeAddr(q(0x595f07bc).storeCoins(4n), 'ALICE'),
        sends: [
          { to: 'MASTER', body: q(0x688b0213), sends: [{ to: 'TREASURY', body: reserve, sends: [answer] }] },
        ],
      },
    ],
    { ...BILL, ALICE_H: wallet('ALICE', 'MASTER') },
  )
}

test('tokens that are burnt are paid for at once, later, or not at all', () => {
  expect(only(unstake(burned(4n, 5n)), 'stake_withdrawal')).toMatchObject({
    success: true,
    amount: 5n,
    source_secondary: addr('ALICE_H'),
    asset: addr('MASTER'),
    staking_data: { provider: 'hipo', tokens_burnt: 4n },
  })
  expect(only(unstake(bill(4n)), 'stake_withdrawal_request')).toMatchObject({
    amount: 4n,
    staking_data: { tokens_burnt: 4n, ts_nft: addr('BILL') },
  })
  const refused = types(unstake(rolledBack(4n)))
  expect(refused).toContain('jetton_burn')
  expect(refused.filter((type) => type.startsWith('stake_'))).toEqual([])
})

const settle = (opcode: number, answer: Sketch): readonly ActionRow[] => {
  const order = owned(q(opcode).storeCoins(4n))
  const settled: Sketch = { to: 'TREASURY', body: order, sends: [answer] }
  const burnt: Sketch = { to: 'BILLS', body: q(0x840f6369), sends: [settled] }
  const burn: Sketch = { to: 'OLD_BILL', body: q(0x6f89f5e3), sends: [burnt] }
  return classify([{ to: 'BILLS', body: op(1), sends: [burn] }], BILL)
}

test('at the end of a round a bill is settled', () => {
  const OLD = addr('OLD_BILL')
  const deposited = settle(0x42684479, minted(4n, 5n))
  // Its amount was reported with the deposit.
  expect(only(deposited, 'stake_deposit')).toMatchObject({
    amount: null,
    source: addr('ALICE'),
    staking_data: { tokens_minted: 4n, ts_nft: OLD },
  })
  expect(types(deposited)).toEqual(['call_contract', 'stake_deposit'])
  expect(only(settle(0x7cffe1ee, burned(4n, 5n)), 'stake_withdrawal')).toMatchObject({
    success: true,
    amount: 5n,
    staking_data: { tokens_burnt: 4n, ts_nft: OLD },
  })
  const later = only(settle(0x7cffe1ee, bill(4n)), 'stake_withdrawal_request')
  expect(later).toMatchObject({ asset: addr('MASTER'), staking_data: { ts_nft: addr('BILL') } })
  expect(later.accounts).toContain(OLD)
  expect(only(settle(0x7cffe1ee, rolledBack(4n)), 'stake_withdrawal')).toMatchObject({
    success: false,
    amount: null,
    staking_data: { tokens_burnt: 4n, ts_nft: OLD },
  })
})

test('the same messages of other contracts are none of this', () => {
  const copy: Sketch = { to: 'COPY', body: storeAddr(deposit, null), sends: [minted(4n, 5n)] }
  expect(types(classify([copy]))).not.toContain('stake_deposit')
})
