// Liquid staking with the Tonstakers contracts: pool, jetton minter, bills for delayed withdrawals.
import { JETTON, LIQUID_STAKING, LIQUID_STAKING_BODIES } from '@shardwalk/contracts'
import { fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Draft, type Match, type Matcher, need } from '../core/matcher.ts'
import { as, call, either, maybe, over, under } from '../core/pattern.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { internalAmount } from './jettons.ts'

const ONE_TON = 1_000_000_000n

interface Staking {
  readonly nft?: Address | null
  readonly burnt?: bigint | null
  readonly minted?: bigint | null
}

/** Amounts in nanotons and in units of the jetton; null: not known. */
export const stakingData = (provider: string, { nft = null, burnt = null, minted = null }: Staking) => ({
  staking_data: { provider, ts_nft: nft, tokens_burnt: burnt, tokens_minted: minted },
})

const deposit: Matcher = {
  name: 'tonstakers_deposit',
  anchors: [LIQUID_STAKING.deposit],
  pattern: over(
    call(LIQUID_STAKING.deposit),
    maybe(
      over(
        call(LIQUID_STAKING.mintJettons),
        as('tokens', over(call(JETTON.internalTransfer), maybe(call(JETTON.transferNotification)))),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const tokens = captures.find('tokens')
    // Without tokens only a refusal is certain, because a pool may also answer with a bill.
    if (!tokens && !anchor.failed) return undefined
    const minted = tokens ? internalAmount(tokens) : null
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      // The pool keeps 1 TON for gas; a refused deposit may have carried less.
      amount: anchor.value >= ONE_TON ? anchor.value - ONE_TON : null,
      asset: tokens?.source ?? null,
      ...stakingData('liquid_staking', { minted }),
    })
    return { type: 'tonstakers_deposit', action: 'stake_deposit', failed: anchor.failed, columns }
  },
}

/** Data of a `tonstakers_withdraw` block. */
interface Withdrawal {
  readonly pool: Address | null
}

const withdrawal: Matcher = {
  name: 'tonstakers_withdraw',
  anchors: [JETTON.burn],
  pattern: over(
    call(JETTON.burn),
    over(
      call(JETTON.burnNotification),
      as(
        'request',
        over(
          call(LIQUID_STAKING.withdraw),
          either(as('now', call(LIQUID_STAKING.withdrawal)), as('later', call(LIQUID_STAKING.mintJettons))),
        ),
      ),
    ),
  ),
  build: (match) => (match.captures.find('now') ? withdrawnNow(match) : withdrawalRequested(match)),
}

function withdrawnNow({ anchor, captures }: Match): Draft {
  const request = need(captures.find('request'), 'request')
  const burnt = internalAmount(anchor)
  const columns = (): Columns => ({
    source: anchor.source,
    destination: request.destination,
    amount: need(captures.find('now'), 'pay-out').value - request.value,
    asset: request.source,
    ...stakingData('liquid_staking', { burnt }),
  })
  const data: Withdrawal = { pool: request.destination }
  return { type: 'tonstakers_withdraw', action: 'stake_withdrawal', failed: anchor.failed, data, columns }
}

function withdrawalRequested({ anchor, captures }: Match): Draft {
  const request = need(captures.find('request'), 'request')
  const { next } = need(captures.find('later'), 'bill order')
  const bill =
    next.find(({ type }) => type === 'nft_mint') ??
    next.find(({ opcode }) => opcode === LIQUID_STAKING.billInit)
  const burnt = internalAmount(anchor)
  const columns = (): Columns => ({
    source: anchor.source,
    source_secondary: anchor.destination,
    destination: request.destination,
    amount: burnt,
    asset: request.source,
    ...stakingData('liquid_staking', { nft: bill?.destination ?? null, burnt }),
  })
  const failed = anchor.failed || bill === undefined
  return { type: 'tonstakers_withdraw_request', action: 'stake_withdrawal_request', failed, columns }
}

const delayedWithdrawal: Matcher = {
  name: 'tonstakers_delayed_withdraw',
  anchors: [LIQUID_STAKING.billPayout],
  pattern: under(
    call(LIQUID_STAKING.billPayout),
    as('burnt', under(call(LIQUID_STAKING.billBurnNotification), call(LIQUID_STAKING.billBurn))),
  ),
  build({ anchor, captures }) {
    const burnt = need(captures.find('burnt'), 'notification')
    const { amount: tokens, owner } = fieldsOf(burnt, LIQUID_STAKING_BODIES.billBurnNotification)
    const pool = poolAbove(burnt)
    const columns = (): Columns => ({
      source: owner,
      destination: pool,
      amount: anchor.value,
      ...stakingData('liquid_staking', { nft: burnt.source, burnt: tokens }),
    })
    const data: Withdrawal = { pool }
    return { type: 'tonstakers_withdraw', action: 'stake_withdrawal', data, columns }
  },
}

/**
 * Bills are burnt one after the other: follows the chain up to the pool's order, or to a withdrawal built
 * before.
 */
function poolAbove(start: Block): Address | null {
  for (let block = start.previous; block; block = block.previous) {
    if (block.opcode === LIQUID_STAKING.startDistribution) return block.source
    if (block.type === 'tonstakers_withdraw') return (block.data as Withdrawal).pool
    if (
      block.opcode !== LIQUID_STAKING.billBurn &&
      block.opcode !== LIQUID_STAKING.billBurnNotification &&
      block.opcode !== LIQUID_STAKING.billPayout
    )
      return null
  }
  return null
}

export {
  delayedWithdrawal as delayedLiquidWithdrawal,
  deposit as liquidDeposit,
  withdrawal as liquidWithdrawal,
}
