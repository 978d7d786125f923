// EVAA lending: liquidations.

import type { Slice } from '@shardwalk/cells'
import { EVAA, MESSAGE } from '@shardwalk/contracts'
import { attempt, bodyAfterQuery, loadAddress, prefixedHex } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need, Unfit } from '../core/matcher.ts'
import { as, call, either, over, overList } from '../core/pattern.ts'
import type { Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { note, userCall } from './evaa.ts'
import { isJettonTransfer, jettonTransfer, transferOf, withPayload } from './jettons.ts'

const ERRORS: Readonly<Record<number, string>> = {
  57345: 'master_liquidating_too_much',
  57346: 'user_withdraw_in_progress',
  57347: 'not_liquidatable',
  57348: 'execution_crashed',
  57349: 'min_collateral_not_satisfied',
  57350: 'user_not_enough_collateral',
  57351: 'user_liquidating_too_much',
  57352: 'master_not_enough_liquidity',
  57353: 'liquidation_prices_missing',
}

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
  /** Who sent the order, or the jettons with it. */
  readonly liquidator: Address | null
  readonly assetId: bigint
  readonly amount: bigint
}

/** `borrower:Addr liquidator:Addr collateral_asset:256 min_collateral:64 include_code:i2 amount:64`. */
function loadOrder(slice: Slice): Pick<Order, 'borrower' | 'assetId'> {
  const borrower = need(loadAddress(slice), 'borrower')
  const liquidator = need(loadAddress(slice), 'liquidator')
  if (![borrower, liquidator].every((address) => /^(0|-1):/.test(address))) throw new Unfit('no account')
  const assetId = slice.loadUintBig(256)
  slice.skip(64 + 2)
  return { borrower, assetId }
}

/** The jetton payload may come with a query id or without; the amount is what was sent. */
function readOrder(anchor: Block): Order {
  if (!isJettonTransfer(anchor)) {
    const body = bodyAfterQuery(anchor)
    return { ...loadOrder(body), liquidator: anchor.source, amount: body.loadUintBig(64) }
  }
  const { amount, sender: liquidator, request } = transferOf(anchor)
  const payload = need(request.payload, 'payload')
  const order = attempt(() => loadOrder(payload.afterOpcode().skip(64))) ?? loadOrder(payload.afterOpcode())
  return { ...order, liquidator, amount }
}

interface Outcome {
  readonly amount: bigint
  readonly debt: bigint
  readonly failReason: string | null
}

/**
 * `query_id owner:Addr liquidator:Addr transferred_asset:256 ^[ delta_loan:i64 liquidatable:64 gift:64
 * new_loan:i64 collateral:256 delta:i64 reward:64 ]`.
 */
function readWon(block: Block): Outcome {
  const body = bodyAfterQuery(block)
  loadAddress(body)
  loadAddress(body)
  const terms = body.skip(256).loadRefSlice().skip(64)
  const debt = terms.loadUintBig(64)
  const amount = terms.skip(64 + 64 + 256 + 64).loadUintBig(64)
  return { amount, debt, failReason: null }
}

/** `... ^[ transferred:64 collateral_asset:256 min:64 fwd:64 ^payload error:32 ]`. */
function readError(block: Block): string {
  const error = attempt(() =>
    block.node
      .body()
      .skip(32)
      .loadRefSlice()
      .skip(64 + 256 + 64 + 64)
      .loadUint(32),
  )
  return error === undefined ? 'parse_error' : (ERRORS[error] ?? 'unknown')
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

export const evaaLiquidate: Matcher = {
  name: 'evaa_liquidate',
  anchors: [EVAA.liquidate, 'jetton_transfer'],
  pattern: over(
    either(call(EVAA.liquidate), withPayload(EVAA.liquidate)),
    either(
      as('user', over(userCall(EVAA.liquidateUser), result)),
      as('early', either(call(MESSAGE.bounced), jettonTransfer())),
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
