// Nominator pools: TON with one-letter comments.
import { NOMINATORS } from '@shardwalk/contracts'
import { type Block, TON } from '../core/block.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { call, tonWithComment } from '../core/pattern.ts'
import { type ContractFacts, factsOf } from '../facts.ts'
import type { Columns } from '../row.ts'
import { stakingData } from './liquid-staking.ts'

const isPool = (block: Block, facts: ContractFacts): boolean =>
  factsOf(facts, block.destination).nominatorPool === true

const stake = (block: Block, columns: Columns) => (): Columns => ({
  source: block.source,
  destination: block.destination,
  ...columns,
  ...stakingData('nominator', {}),
})

const deposit: Matcher = {
  name: 'nominator_pool_deposit',
  anchors: [TON],
  pattern: tonWithComment('d'),
  anchorLeftovers: true,
  build({ anchor, facts }) {
    if (!isPool(anchor, facts)) return undefined
    const columns = stake(anchor, { amount: anchor.value })
    return { type: 'nominator_pool_deposit', action: 'stake_deposit', failed: anchor.failed, columns }
  },
}

/**
 * A single returned transfer is change unless it exceeds the attached value; of two, the first is the stake.
 */
const withdrawal: Matcher = {
  name: 'nominator_pool_withdrawal',
  anchors: [TON],
  pattern: tonWithComment('w'),
  anchorLeftovers: true,
  build({ anchor, facts }) {
    if (!isPool(anchor, facts)) return undefined
    const returned = anchor.next.filter(({ type }) => type === TON)
    const [first] = returned
    const paid =
      returned.length === 2 || (returned.length === 1 && need(first, 'transfer').value > anchor.value)
    return {
      type: 'nominator_pool_withdraw_request',
      action: paid ? 'stake_withdrawal' : 'stake_withdrawal_request',
      failed: anchor.failed,
      also: returned.length <= 2 ? returned : [],
      columns: stake(anchor, paid ? { amount: need(first, 'transfer').value } : {}),
    }
  },
}

/** The pool's owner triggers requested payouts: one withdrawal per receiver. */
const processedByOwner: Matcher = {
  name: 'nominator_pool_processed_withdrawals',
  anchors: [NOMINATORS.processWithdrawals],
  pattern: call(NOMINATORS.processWithdrawals),
  build({ anchor, facts }) {
    if (!isPool(anchor, facts)) return undefined
    const payouts = anchor.next.filter(({ type }) => type === TON)
    return payouts.map((payout) => ({
      type: 'nominator_pool_withdraw_request',
      action: 'stake_withdrawal',
      absorb: [payout],
      columns: (): Columns => ({
        source: payout.destination,
        destination: anchor.destination,
        amount: payout.value,
        ...stakingData('nominator', {}),
      }),
    }))
  },
}

/** Deposits (`d`) and withdrawals (`w`) of nominators, and payouts that the pool's owner triggers. */
export const nominatorPools: readonly Matcher[] = [deposit, withdrawal, processedByOwner]
