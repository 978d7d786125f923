// What a position in a DeDust pool without vaults has earned: fees of swaps, and rewards for liquidity.

import { DEDUST_CPMM, DEDUST_CPMM_BODIES, JETTON } from '@shardwalk/contracts'
import { fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Draft, type Match, type Matcher, need } from '../core/matcher.ts'
import { as, call, maybe, over, overList, type Pattern } from '../core/pattern.ts'
import type { DexWithdrawData } from '../row.ts'
import { CPMM, keepExcess, paidOut, payoutOf } from './dedust-cpmm.ts'
import { type Payout, withdrawData } from './dex.ts'

const paid = maybe(as('payout', paidOut))

/** The pool asks the position, which orders what the pool pays; nothing is paid of an amount of zero. */
const claimed = (opcodes: readonly [claim: number, ask: number, order: number], paid: Pattern[]): Pattern => {
  const [claim, ask, order] = opcodes
  const ordered = as('order', keepExcess(overList(call(order), ...paid, maybe(call(JETTON.excesses)))))
  return over(call(claim), keepExcess(over(call(ask), ordered)))
}

const draft = (type: string, { anchor }: Match, order: Block, data: DexWithdrawData): Draft => ({
  type,
  columns: () => ({
    source: anchor.source,
    destination: anchor.destination,
    destination_secondary: order.source,
    dex_withdraw_liquidity_data: data,
  }),
})

const NOTHING: Omit<Payout, 'amount'> = {
  asset: null,
  userWallet: null,
  dexWallet: null,
  dexJettonWallet: null,
}

/** What paid an ordered amount: any contract can order more than its pool, or what seems to be one, pays. */
function paymentOf(amount: bigint, payouts: readonly Payout[]): Payout {
  const paid = payouts.find((payout) => payout.amount === amount)
  return paid ?? need(amount === 0n ? { ...NOTHING, amount } : undefined, 'payment')
}

/** Which payment is of which asset only its amount tells; equal ones are in the order of the pool. */
const fees: Matcher = {
  name: 'dedust_cpmm_claim_fees',
  anchors: [DEDUST_CPMM.claimFees],
  pattern: claimed(
    [DEDUST_CPMM.claimFees, DEDUST_CPMM.claimAvailableFees, DEDUST_CPMM.payOutFees],
    [paid, paid],
  ),
  build(match) {
    const order = need(match.captures.find('order'), 'order')
    const { x_fees, y_fees } = fieldsOf(order, DEDUST_CPMM_BODIES.payOutFees)
    const payouts = match.captures.all('payout').map(payoutOf)
    const x = paymentOf(x_fees, payouts)
    const others = payouts.filter((payout) => payout !== x)
    const data = withdrawData(CPMM, [x, paymentOf(y_fees, others)], {})
    return draft('dedust_v2_claim_fees', match, order, data)
  },
}

const reward: Matcher = {
  name: 'dedust_cpmm_claim_reward',
  anchors: [DEDUST_CPMM.claimReward],
  pattern: claimed(
    [DEDUST_CPMM.claimReward, DEDUST_CPMM.claimPositionReward, DEDUST_CPMM.payOutReward],
    [paid],
  ),
  build(match) {
    const order = need(match.captures.find('order'), 'order')
    const { amount } = fieldsOf(order, DEDUST_CPMM_BODIES.payOutReward)
    const payouts = match.captures.all('payout').map(payoutOf)
    const data = withdrawData(CPMM, [paymentOf(amount, payouts), undefined], {})
    return draft('dedust_v2_claim_reward', match, order, data)
  },
}

/** Claims that were paid, or had earned nothing; without the order of the position they are none. */
export const cpmmClaims: readonly Matcher[] = [fees, reward]
