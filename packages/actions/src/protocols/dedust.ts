// DeDust v2: swaps through vaults and pools, withdrawals.

import type { Slice } from '@shardwalk/cells'
import { DEDUST, DEDUST_BODIES, JETTON } from '@shardwalk/contracts'
import { attempt, bodyOf, fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need, Unfit } from '../core/matcher.ts'
import { as, call, chain, either, log, maybe, over, overList, type Pattern, under } from '../core/pattern.ts'
import { type ContractFacts, factsOf, walletOf } from '../facts.ts'
import type { Columns, DexTransfer, PeerSwap } from '../row.ts'
import type { Address } from '../trace.ts'
import { type Payout, type Swap, swapColumns, withdrawData } from './dex.ts'
import { internalAmount, isJettonTransfer, jettonTransfer, transferOf, withPayload } from './jettons.ts'

const toUser = either(jettonTransfer(), call(DEDUST.payout))
const event = maybe(log(DEDUST.swapEvent))
const payout = over(call(DEDUST.payOutFromPool), toUser)

interface Request {
  readonly sender: Address | null
  readonly senderWallet: Address | null
  readonly vault: Address | null
  readonly vaultWallet: Address | null
  readonly asset: Address | null
  readonly amount: bigint
  /** Reader at the first step of the route. */
  readonly route: Slice
}

function readRequest(parent: Block): Request {
  if (isJettonTransfer(parent)) {
    const transfer = transferOf(parent)
    return {
      sender: transfer.sender,
      senderWallet: transfer.senderWallet,
      vault: transfer.receiver,
      vaultWallet: transfer.receiverWallet,
      asset: transfer.asset,
      amount: transfer.amount,
      route: need(transfer.request.payload, 'payload').afterOpcode(),
    }
  }
  const body = bodyOf(parent)
  const { amount } = DEDUST_BODIES.swap(body)
  const { source, destination } = parent
  return {
    sender: source,
    senderWallet: null,
    vault: destination,
    vaultWallet: null,
    asset: null,
    amount,
    route: body,
  }
}

const otherAsset = ([first, second]: readonly [Address | null, Address | null], asset: Address | null) =>
  first === asset ? second : first

/** The asset at the end of the requested route. Assets of unknown pools are taken from their swap events. */
function requestedAsset(
  request: Request,
  events: readonly SwapEvent[],
  facts: ContractFacts,
): Address | null | undefined {
  let asset = request.asset
  for (let route: Slice | undefined = request.route; route; ) {
    const { pool_addr: pool, params }: ReturnType<typeof DEDUST_BODIES.step> = DEDUST_BODIES.step(route)
    const assets = factsOf(facts, pool).dedustPool?.assets
    const seen = events.find((candidate) => candidate.pool === pool)
    if (!assets && !seen) return undefined
    asset = assets ? otherAsset(assets, asset) : need(seen, 'event').hop.asset_out
    route = params.next
  }
  return asset
}

interface SwapEvent {
  readonly pool: Address | null
  readonly hop: PeerSwap
}

function readEvent(block: Block): SwapEvent {
  return { pool: block.source, hop: fieldsOf(block, DEDUST_BODIES.swapEvent) }
}

/** What the user received; without a payout only the receiver is known. */
function readPayout(block: Block, request: Request): DexTransfer {
  const given = block.next.find((child) => isJettonTransfer(child) || child.opcode === DEDUST.payout)
  const nothing = { source_jetton_wallet: null, destination_jetton_wallet: null, asset: null }
  if (!given) return { ...nothing, amount: null, source: null, destination: request.sender }
  if (!isJettonTransfer(given))
    return { ...nothing, amount: given.value, source: given.source, destination: given.destination }
  const transfer = transferOf(given)
  return {
    amount: transfer.amount,
    asset: transfer.asset,
    source: transfer.sender,
    destination: transfer.receiver,
    source_jetton_wallet: transfer.senderWallet,
    destination_jetton_wallet: transfer.receiverWallet,
  }
}

/** Amount that the pool ordered to pay. */
const poolPayoutAmount = (block: Block): bigint => fieldsOf(block, DEDUST_BODIES.payOutFromPool).amount

function readSwap({ anchor, captures, facts }: Match): Swap {
  const payouts = captures.calls(DEDUST.payOutFromPool)
  if (payouts.length !== 1) throw new Unfit(`${payouts.length} pay-outs`)
  const request = readRequest(need(anchor.previous, 'request'))
  const paid = readPayout(payouts[0]!, request)
  const events = captures.calls(DEDUST.swapEvent).map(readEvent)
  const direct: PeerSwap = {
    asset_in: request.asset,
    amount_in: request.amount,
    asset_out: paid.asset,
    amount_out: attempt(() => poolPayoutAmount(payouts[0]!)) ?? paid.amount,
  }
  const hops = events.length > 0 ? events.map(({ hop }) => hop) : [direct]
  const [first, last] = [hops[0]!, hops.at(-1)!]
  const wanted = attempt(() => requestedAsset(request, events, facts))
  return {
    dex: 'dedust',
    sender: request.sender,
    incoming: {
      amount: first.amount_in,
      asset: first.asset_in,
      source: request.sender,
      destination: request.vault,
      source_jetton_wallet: request.senderWallet,
      destination_jetton_wallet: request.vaultWallet,
    },
    outgoing: { ...paid, amount: last.amount_out, asset: last.asset_out },
    hops: hops.length > 1 ? hops : [],
    asset: first.asset_in,
    asset2: wanted === undefined ? last.asset_out : wanted,
  }
}

const swap: Matcher = {
  name: 'dedust_swap',
  anchors: [DEDUST.swapExternal],
  pattern: under(
    overList(
      call(DEDUST.swapExternal),
      either(payout, chain(overList(call(DEDUST.swapPeer, DEDUST.swapExternal), event), payout)),
      event,
    ),
    either(withPayload(DEDUST.swapPayload), call(DEDUST.swap)),
  ),
  build(match) {
    const steps = [match.anchor, ...match.captures.calls(DEDUST.swapExternal, DEDUST.swapPeer)]
    const events = new Set(match.captures.calls(DEDUST.swapEvent))
    const failed = !steps.every(({ next }) => next.some((child) => events.has(child)))
    const data = readSwap(match)
    return { type: 'jetton_swap', failed, data, columns: () => swapColumns(data) }
  },
}

const poolPayout: Pattern = as('payout', payout)

const withdrawal: Matcher = {
  name: 'dedust_withdrawal',
  anchors: [JETTON.burn],
  pattern: over(
    call(JETTON.burn),
    as('notification', overList(call(JETTON.burnNotification), poolPayout, poolPayout)),
  ),
  build({ anchor, captures, facts }) {
    const wallet = need(walletOf(facts, anchor.destination), 'LP wallet')
    const [first, second] = captures.all('payout').map(readWithdrawn)
    const data = withdrawData('dedust', [first, second], { lp_tokens_burnt: internalAmount(anchor) })
    const columns = (): Columns => ({
      source: anchor.source,
      source_secondary: anchor.destination,
      destination: need(captures.find('notification'), 'notification').destination,
      asset: wallet.jetton,
      dex_withdraw_liquidity_data: data,
    })
    return { type: 'dex_withdraw_liquidity', columns }
  },
}

function readWithdrawn(block: Block): Payout {
  const given = need(
    block.next.find((child) => isJettonTransfer(child) || child.opcode === DEDUST.payout),
    'pay-out',
  )
  const amount = poolPayoutAmount(block)
  if (!isJettonTransfer(given))
    return { amount, asset: null, userWallet: null, dexWallet: given.source, dexJettonWallet: null }
  const { asset, receiverWallet, sender, senderWallet } = transferOf(given)
  return { amount, asset, userWallet: receiverWallet, dexWallet: sender, dexJettonWallet: senderWallet }
}

export { swap as dedustSwap, withdrawal as dedustWithdrawal }
