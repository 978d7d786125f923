// EVAA lending: liquidations.

import { BOUNCES, EVAA, EVAA_BODIES, EVAA_LIQUIDATION_ERRORS } from '@shardwalk/contracts'
import { attempt, fieldsOf, prefixedHex } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need, Unfit } from '../core/matcher.ts'
import { as, call, either, over, overList } from '../core/pattern.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { note, userCall } from './evaa.ts'
import { isJettonTransfer, jettonTransfer, transferOf, withPayload } from './jettons.ts'

const end = either(call(EVAA.liquidateSuccessReport, EVAA.liquidateFail), jettonTransfer())

const result = either(
  as(
    'won',
    overList(
      call(EVAA.liquidateSatisfied),
      over(userCall(EVAA.liquidateSuccess), note('EVAA liquidation.')),
      end,
    ),
  ),
  as('lost', overList(call(EVAA.liquidateSatisfied), call(EVAA.liquidateFail), end)),
  as('unsatisfied', over(call(EVAA.liquidateUnsatisfied), end)),
)

interface Order {
  readonly borrower: Address
  /** Sender of the order, or of the jettons that carry it. */
  readonly liquidator: Address | null
  readonly assetId: bigint
  readonly amount: bigint
}

interface OrderFields {
  readonly borrower_address: Address | null
  readonly liquidator_address: Address | null
  readonly collateral_asset_id: bigint
}

function checked(order: OrderFields): Pick<Order, 'borrower' | 'assetId'> {
  const borrower = need(order.borrower_address, 'borrower')
  const liquidator = need(order.liquidator_address, 'liquidator')
  if (![borrower, liquidator].every((address) => /^(0|-1):/.test(address))) throw new Unfit('no account')
  return { borrower, assetId: order.collateral_asset_id }
}

/** With jettons, the amount is what was sent. */
function readOrder(anchor: Block): Order {
  if (!isJettonTransfer(anchor)) {
    const order = fieldsOf(anchor, EVAA_BODIES.liquidate)
    return { ...checked(order), liquidator: anchor.source, amount: order.liquidate_incoming_amount }
  }
  const { amount, sender: liquidator, request } = transferOf(anchor)
  const payload = need(request.payload, 'payload')
  const order =
    attempt(() => checked(EVAA_BODIES.liquidatePayloadWithQuery(payload.afterOpcode()))) ??
    checked(EVAA_BODIES.liquidatePayload(payload.afterOpcode()))
  return { ...order, liquidator, amount }
}

interface Outcome {
  readonly amount: bigint
  readonly debt: bigint
  readonly failReason: string | null
}

function readWon(block: Block): Outcome {
  const { collateral_reward, liquidatable_amount } = fieldsOf(block, EVAA_BODIES.liquidateSatisfied)
  return { amount: collateral_reward, debt: liquidatable_amount, failReason: null }
}

function readError(block: Block): string {
  const error = attempt(() => fieldsOf(block, EVAA_BODIES.liquidateUnsatisfied).error)
  return error === undefined ? 'parse_error' : (EVAA_LIQUIDATION_ERRORS[error] ?? 'unknown')
}

function readOutcome({ captures }: Match, order: Order): Outcome {
  const won = captures.find('won')
  if (won) return readWon(won)
  const unsatisfied = captures.find('unsatisfied')
  const failed = { amount: 0n, debt: order.amount }
  if (unsatisfied) return { ...failed, failReason: readError(unsatisfied) }
  return {
    ...failed,
    failReason: captures.find('lost') ? 'master_not_enough_liquidity' : 'immediate_rejection',
  }
}

/**
 * Debt of a borrower repaid for a reward, or refused: by the master at once (`immediate_rejection`), by the
 * borrower's contract with an error, or for want of liquidity.
 */
export const evaaLiquidate: Matcher = {
  name: 'evaa_liquidate',
  anchors: [EVAA.liquidate, 'jetton_transfer'],
  pattern: over(
    either(call(EVAA.liquidate), withPayload(EVAA.liquidate)),
    either(
      as('user', over(userCall(EVAA.liquidateUser), result)),
      as('early', either(call(...BOUNCES), jettonTransfer())),
    ),
  ),
  build(match) {
    const user = match.captures.find('user')
    if (!user && match.captures.all('early').length !== 1) throw new Unfit('no single outcome')
    const order = readOrder(match.anchor)
    const outcome = readOutcome(match, order)
    const columns = (): Columns => ({
      source: order.liquidator,
      destination: order.borrower,
      destination_secondary: user?.destination ?? null,
      amount: outcome.amount,
      asset: order.assetId.toString(),
      evaa_liquidate_data: {
        asset_id: prefixedHex(order.assetId),
        fail_reason: outcome.failReason,
        debt_amount: outcome.debt,
      },
    })
    return { type: 'evaa_liquidate', failed: outcome.failReason !== null, columns }
  },
}
