// Deposits into DeDust pools without vaults: two assets, each credited to a deposit contract.

import { DEDUST_CPMM, DEDUST_CPMM_BODIES, JETTON } from '@shardwalk/contracts'
import { attempt, fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { leftovers } from '../core/match.ts'
import { type Draft, type Match, type Matcher, need, Unfit } from '../core/matcher.ts'
import { as, call, either, log, maybe, over, overList, type Pattern, under } from '../core/pattern.ts'
import type { AssetAmount, DexDepositData } from '../row.ts'
import type { Address } from '../trace.ts'
import { CPMM, paymentFor } from './dedust-cpmm.ts'
import { type DedustDeposit, depositColumns } from './dedust-deposit.ts'
import { depositData } from './dex.ts'
import { isJettonTransfer, jettonTransfer, transferOf } from './jettons.ts'

/** Data of both deposit blocks. */
export interface CpmmDeposit extends DedustDeposit {
  /** Whether this block brought the first or the second asset of the pool. */
  readonly side: 1 | 2
}

/** One asset that was credited to the deposit contract. */
interface Leg {
  readonly side: 1 | 2
  readonly asset: Address | null
  readonly wallet: Address | null
  readonly sender: Address | null
  readonly amount: bigint
}

const credited = under(call(DEDUST_CPMM.creditAsset), {
  ...as('payment', either(jettonTransfer(), call(DEDUST_CPMM.payNative))),
  keepExcess: true,
})

function readLeg(payment: Block, credit: Block): Leg {
  const { is_x, amount } = fieldsOf(credit, DEDUST_CPMM_BODIES.creditAsset)
  const side = is_x ? 1 : 2
  if (!isJettonTransfer(payment)) return { side, asset: null, wallet: null, sender: payment.source, amount }
  const { asset, senderWallet, sender } = transferOf(payment)
  return { side, asset, wallet: senderWallet, sender, amount }
}

/** The pool's change for a payment in jettons belongs to it. */
const changeOf = (payment: Block): readonly Block[] => (isJettonTransfer(payment) ? leftovers(payment) : [])

const assetColumns = ({ side, asset, wallet }: Pick<Leg, 'side' | 'asset' | 'wallet'>) =>
  side === 1
    ? { asset1: asset, user_jetton_wallet_1: wallet }
    : { asset2: asset, user_jetton_wallet_2: wallet }

/** Only a whole deposit has targets: their assets are those that were paid. */
const withTargets = (deposit: DexDepositData): DexDepositData => ({
  ...deposit,
  target_asset_1: deposit.asset1,
  target_asset_2: deposit.asset2,
})

const draft = (type: string, data: CpmmDeposit, rest: Pick<Draft, 'also' | 'failed'>): Draft => ({
  type,
  action: 'dex_deposit_liquidity',
  data,
  columns: () => depositColumns(data),
  ...rest,
})

/** What the pool did not need, or all of it after a refusal. */
function readRefunds({ captures }: Match, initiator: Address | null): AssetAmount[] {
  const jettons = captures.all('jettons_back').map(transferOf)
  const tons = captures.all('ton_back')
  const receivers = [
    ...jettons.map(({ receiver }) => receiver),
    ...tons.map(({ destination }) => destination),
  ]
  if (receivers.some((receiver) => receiver !== initiator)) throw new Unfit('a refund to somebody else')
  return [
    ...jettons.map(({ asset, amount }) => ({ asset, amount })),
    ...tons.map((block) => ({ asset: null, amount: fieldsOf(block, DEDUST_CPMM_BODIES.payout).amount })),
  ]
}

const jettonsBack: Pattern = maybe(as('jettons_back', jettonTransfer()))

/** The pool takes both assets, and reports it, or returns them. */
const joined: Matcher = {
  name: 'dedust_cpmm_deposit',
  anchors: [DEDUST_CPMM.joinLiquidity],
  pattern: under(
    overList(
      call(DEDUST_CPMM.joinLiquidity),
      maybe(as('event', log(DEDUST_CPMM.depositEvent))),
      maybe(call(DEDUST_CPMM.creditLiquidity)),
      jettonsBack,
      jettonsBack,
      maybe({ ...as('ton_back', call(DEDUST_CPMM.payout)), keepExcess: true }),
    ),
    { ...as('credit', credited), keepExcess: true },
  ),
  build(match) {
    const { anchor, captures } = match
    const order = fieldsOf(anchor, DEDUST_CPMM_BODIES.joinLiquidity)
    const event = captures.find('event')
    const refunds = readRefunds(match, order.initiator)
    if (!event && refunds.length === 0) return undefined
    const payment = need(captures.find('payment'), 'payment')
    const leg = readLeg(payment, need(captures.find('credit'), 'credit'))
    const done = event && fieldsOf(event, DEDUST_CPMM_BODIES.depositEvent)
    const data: CpmmDeposit = {
      side: leg.side,
      owner: order.initiator,
      pool: anchor.destination,
      contract: anchor.source,
      deposit: withTargets(
        depositData(CPMM, {
          amount1: done ? done.amount_x_in : order.amount_x,
          amount2: done ? done.amount_y_in : order.amount_y,
          ...assetColumns(leg),
          ...targetAmounts(payment),
          lp_tokens_minted: done?.liquidity ?? null,
          vault_excesses: refunds,
        }),
      ),
    }
    const change = event ? [] : anchor.next.filter(({ opcode }) => opcode === JETTON.excesses).slice(0, 1)
    const also = [...changeOf(payment), ...change]
    return draft('dedust_v2_deposit_liquidity', data, { failed: !event, also })
  },
}

function targetAmounts(payment: Block): Partial<DexDepositData> {
  const order = paymentFor(DEDUST_CPMM.deposit, payment)
  const wanted = order && attempt(() => DEDUST_CPMM_BODIES.deposit(order))
  return wanted ? { target_amount_1: wanted.amount_x, target_amount_2: wanted.amount_y } : {}
}

/** An asset that waits for the other one, or whose other one completed the deposit. */
const partial: Matcher = {
  name: 'dedust_cpmm_partial_deposit',
  anchors: [DEDUST_CPMM.creditAsset],
  pattern: { ...credited, ...over({}, maybe(call(JETTON.excesses))) },
  build({ anchor, captures }) {
    const payment = need(captures.find('payment'), 'payment')
    const leg = readLeg(payment, anchor)
    const { side, sender, amount } = leg
    const data: CpmmDeposit = {
      side,
      owner: sender,
      pool: anchor.source,
      contract: anchor.destination,
      deposit: depositData(CPMM, {
        ...(side === 1 ? { amount1: amount } : { amount2: amount }),
        ...assetColumns(leg),
      }),
    }
    return draft('dedust_v2_deposit_liquidity_partial', data, { also: changeOf(payment) })
  },
}

/** Whole deposits, then single assets, which wait or belong to a whole one. */
export const cpmmDeposits: readonly Matcher[] = [joined, partial]

/** The amounts are those of the whole deposit already; what is missing is the other asset. */
export function joinCpmmDeposits(first: CpmmDeposit, final: CpmmDeposit): CpmmDeposit {
  if (first.side === final.side) return final
  const { asset1, asset2, user_jetton_wallet_1, user_jetton_wallet_2 } = first.deposit
  const added =
    first.side === 1
      ? { side: 1 as const, asset: asset1, wallet: user_jetton_wallet_1 }
      : { side: 2 as const, asset: asset2, wallet: user_jetton_wallet_2 }
  return { ...final, deposit: withTargets({ ...final.deposit, ...assetColumns(added) }) }
}
