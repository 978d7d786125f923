// DeDust pools that are paid directly, without vaults: swaps, also refused ones, and withdrawals.

import type { Slice } from '@shardwalk/cells'
import { DEDUST_CPMM, DEDUST_CPMM_BODIES, JETTON } from '@shardwalk/contracts'
import { attempt, fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need, Unfit } from '../core/matcher.ts'
import { as, call, defer, either, log, maybe, over, overList, type Pattern, where } from '../core/pattern.ts'
import { type ContractFacts, factsOf } from '../facts.ts'
import type { Columns, DexTransfer, PeerSwap } from '../row.ts'
import type { Address } from '../trace.ts'
import { type Payout, swapColumns, withdrawData } from './dex.ts'
import { isJettonTransfer, jettonTransfer, transferOf } from './jettons.ts'

/** As TON Center names these pools. */
export const CPMM = 'dedust_v2'

/** Leaves excess messages to the pattern. */
export const keepExcess = (pattern: Pattern): Pattern => ({ ...pattern, keepExcess: true })
const excess = maybe(call(JETTON.excesses))

/** TON or jettons that a pool pays out. */
export const paidOut: Pattern = keepExcess(either(jettonTransfer(), call(DEDUST_CPMM.payout)))

/** What a payment to a pool is for, behind its opcode; undefined for anything but `operation`. */
export function paymentFor(operation: number, block: Block): Slice | undefined {
  return attempt(() => {
    const payload = isJettonTransfer(block) ? jettonPayment(block) : nativePayment(block)
    return payload?.loadUint(32) === operation ? payload : undefined
  })
}

const nativePayment = (block: Block): Slice => fieldsOf(block, DEDUST_CPMM_BODIES.payNative).payment_payload

function jettonPayment(block: Block): Slice | undefined {
  const { payload } = transferOf(block).request
  if (payload?.opcode !== DEDUST_CPMM.payJetton) return undefined
  return DEDUST_CPMM_BODIES.payJetton(payload.afterOpcode()).payment_payload
}

const hasSwapped = (block: Block): boolean =>
  block.next.some(({ opcode }) => opcode === DEDUST_CPMM.swapEvent)
const jettonsSwapped = where((block) => isJettonTransfer(block) && hasSwapped(block))

/** A pool's event, then its payment to the next pool or to the receiver. */
const swapped: readonly Pattern[] = [log(DEDUST_CPMM.swapEvent), keepExcess(defer(() => onward)), excess]
const onward: Pattern = either(
  as('hop', overList(call(DEDUST_CPMM.payNative), ...swapped)),
  as('hop', overList(jettonsSwapped, ...swapped)),
  as('out', jettonTransfer()),
  as('out', call(DEDUST_CPMM.payout)),
)

const assetOf = (block: Block): Address | null => (isJettonTransfer(block) ? transferOf(block).asset : null)

/** Who sent what to whom; the amount of a swap is that of the pool's event. */
function sideOf(block: Block, amount: bigint): DexTransfer {
  if (isJettonTransfer(block)) {
    const { asset, sender, receiver, senderWallet, receiverWallet } = transferOf(block)
    return {
      amount,
      asset,
      source: sender,
      destination: receiver,
      source_jetton_wallet: senderWallet,
      destination_jetton_wallet: receiverWallet,
    }
  }
  return {
    amount,
    asset: null,
    source: block.source,
    destination: block.destination,
    source_jetton_wallet: null,
    destination_jetton_wallet: null,
  }
}

/** Far more pools than a route has. */
const MAX_ROUTE = 16

/** Least amount that the last pool of the route must pay. */
function leastOut(order: Slice | undefined): bigint | null {
  if (!order) return null
  const read = () => {
    let step = DEDUST_CPMM_BODIES.swap(order.clone())
    for (let i = 0; step.next && i < MAX_ROUTE; i++) step = DEDUST_CPMM_BODIES.swapStep(step.next)
    return step.minimal_amount_out
  }
  return attempt(read) ?? null
}

interface Exchange {
  readonly amount_in: bigint
  readonly amount_out: bigint
}

/** `assets`: what was paid, then what each pool paid. */
function readHops(events: readonly Exchange[], assets: readonly (Address | null)[]): PeerSwap[] {
  if (events.length < 2 || assets.length !== events.length + 1) return []
  return events.map(({ amount_in, amount_out }, i) => ({
    asset_in: assets[i] ?? null,
    amount_in,
    asset_out: assets[i + 1] ?? null,
    amount_out,
  }))
}

const swapData = (
  incoming: DexTransfer,
  outgoing: DexTransfer,
  hops: readonly PeerSwap[],
  order: Slice | undefined,
) => ({
  dex: CPMM,
  sender: incoming.source,
  incoming,
  outgoing,
  hops,
  asset: incoming.asset,
  asset2: outgoing.asset,
  minOut: leastOut(order),
})

function readSwap({ anchor, captures }: Match) {
  const order = paymentFor(DEDUST_CPMM.swap, anchor)
  if (!isJettonTransfer(anchor)) need(order, 'order to swap')
  const out = need(captures.find('out'), 'pay-out')
  if (paymentFor(DEDUST_CPMM.swap, out)) throw new Unfit('the route ended at a pool')
  const logs = captures.calls(DEDUST_CPMM.swapEvent)
  const events = logs.map((block) => fieldsOf(block, DEDUST_CPMM_BODIES.swapEvent))
  const assets = [anchor, ...captures.all('hop'), out].map(assetOf)
  const incoming = sideOf(anchor, need(events[0], 'event').amount_in)
  const outgoing = sideOf(out, need(events.at(-1), 'event').amount_out)
  const data = swapData(incoming, outgoing, readHops(events, assets), order)
  const failed = logs.some(({ node: { transaction } }) => transaction.aborted || !!transaction.exitCode)
  return { data, failed }
}

/** TON or jettons sent to a pool, and what it paid. */
export const cpmmSwap: Matcher = {
  name: 'dedust_cpmm_swap',
  anchors: [DEDUST_CPMM.payNative, 'jetton_transfer'],
  pattern: overList(either(call(DEDUST_CPMM.payNative), jettonsSwapped), ...swapped),
  build(match) {
    const { data, failed } = readSwap(match)
    return { type: 'jetton_swap', failed, data, columns: () => swapColumns(data) }
  },
}

/** The asset of a known pool that was not paid; null also when the pool is not known. */
function otherAsset(pool: Address | null, paid: Address | null, facts: ContractFacts): Address | null {
  const assets = factsOf(facts, pool).dedustPool?.assets ?? []
  return assets.find((asset) => asset !== paid) ?? null
}

/** The payment came back to its sender: jettons of the same kind, or TON with the reason. */
function isReturned(payment: Block, refund: Block): boolean {
  if (isJettonTransfer(payment)) {
    const back = isJettonTransfer(refund) ? transferOf(refund) : undefined
    return back?.asset === transferOf(payment).asset && back?.receiver === transferOf(payment).sender
  }
  if (isJettonTransfer(refund) || refund.destination !== payment.source) return false
  return fieldsOf(refund, DEDUST_CPMM_BODIES.payout).exit_code !== 0
}

/** The pool did not swap, for example because the price had changed. */
export const cpmmRefusedSwap: Matcher = {
  name: 'dedust_cpmm_refused_swap',
  anchors: [DEDUST_CPMM.payNative, 'jetton_transfer'],
  pattern: overList(
    where((block) => !hasSwapped(block) && paymentFor(DEDUST_CPMM.swap, block) !== undefined),
    as('refund', paidOut),
    excess,
  ),
  build({ anchor, captures, facts }) {
    if (!isReturned(anchor, need(captures.find('refund'), 'refund'))) return undefined
    const amount = isJettonTransfer(anchor)
      ? transferOf(anchor).amount
      : fieldsOf(anchor, DEDUST_CPMM_BODIES.payNative).amount
    const incoming = sideOf(anchor, amount)
    const outgoing: DexTransfer = {
      amount: 0n,
      asset: otherAsset(incoming.destination, incoming.asset, facts),
      source: incoming.destination,
      destination: incoming.source,
      source_jetton_wallet: null,
      destination_jetton_wallet: null,
    }
    const data = swapData(incoming, outgoing, [], paymentFor(DEDUST_CPMM.swap, anchor))
    return { type: 'jetton_swap', failed: true, data, columns: () => swapColumns(data) }
  },
}

/** A payment that fits `paidOut`. */
export function payoutOf(block: Block): Payout {
  if (!isJettonTransfer(block)) {
    const { amount } = fieldsOf(block, DEDUST_CPMM_BODIES.payout)
    return { amount, asset: null, userWallet: null, dexWallet: block.source, dexJettonWallet: null }
  }
  const { amount, asset, receiverWallet, sender, senderWallet } = transferOf(block)
  return { amount, asset, userWallet: receiverWallet, dexWallet: sender, dexJettonWallet: senderWallet }
}

/** Liquidity is in a position, not in jettons. Without the event the pool refused, and pays nothing out. */
export const cpmmWithdrawal: Matcher = {
  name: 'dedust_cpmm_withdrawal',
  anchors: [DEDUST_CPMM.withdraw],
  pattern: over(
    call(DEDUST_CPMM.withdraw),
    keepExcess(
      over(
        call(DEDUST_CPMM.withdrawLiquidity),
        keepExcess(
          overList(
            call(DEDUST_CPMM.exitLiquidity),
            maybe(as('event', log(DEDUST_CPMM.withdrawalEvent))),
            maybe(as('payout', paidOut)),
            maybe(as('payout', paidOut)),
          ),
        ),
      ),
    ),
  ),
  build({ anchor, captures }) {
    const order = fieldsOf(anchor, DEDUST_CPMM_BODIES.withdraw)
    // Fees claimed together with a withdrawal cannot be distinguished from it.
    if (order.auto_claim_fees) return undefined
    const event = captures.find('event')
    const [first, second] = captures.all('payout').map(payoutOf)
    const burnt = event ? fieldsOf(event, DEDUST_CPMM_BODIES.withdrawalEvent) : order
    const data = withdrawData(CPMM, [first, second], {
      lp_tokens_burnt: burnt.liquidity,
      is_refund: event === undefined,
    })
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      dex_withdraw_liquidity_data: data,
    })
    return { type: 'dex_withdraw_liquidity', failed: event === undefined, columns }
  },
}
