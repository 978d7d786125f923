// TONCO: concentrated liquidity; swaps.

import { JETTON, PTON, TONCO, TONCO_BODIES } from '@shardwalk/contracts'
import { attempt, fieldsOf, type Payload } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need, Unfit } from '../core/matcher.ts'
import { as, call, defer, either, maybe, over, type Pattern, under } from '../core/pattern.ts'
import { assetOfWallet, type ContractFacts } from '../facts.ts'
import type { AssetAmount, Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { hopsOf, ptonCallBelow, ptonPayload, sideOf, swapColumns } from './dex.ts'
import { isJettonTransfer, jettonTransfer, transferOf } from './jettons.ts'
import { readIncoming } from './stonfi-v2.ts'

const OK = 0
const SWAPPED = 200

const hop: Pattern = as(
  'swap',
  over(
    call(TONCO.swap),
    as(
      'payout',
      over(
        call(TONCO.payTo),
        defer(() => out),
      ),
    ),
  ),
)
const out: Pattern = either(
  over(jettonTransfer(), over(call(PTON.tonTransfer), over(call(JETTON.transferNotification), hop))),
  over(jettonTransfer(), hop),
  as('out', over(call(JETTON.transfer), call(PTON.tonTransfer))),
  as('out', jettonTransfer()),
)

type PayTo = ReturnType<typeof TONCO_BODIES.payTo>

interface SwapTarget {
  readonly wallet: Address | null
  readonly minOut: bigint
}

/** Last step of a swap order. */
function lastStep(payload: Payload): SwapTarget {
  let step = TONCO_BODIES.swapStep(payload.afterOpcode())
  while (step.next) step = TONCO_BODIES.swapStep(step.next)
  return { wallet: step.target_wallet, minOut: step.min_out }
}

/** The asset that a failed swap was to end with, according to its payload. */
function readTarget(source: Block): SwapTarget | undefined {
  const payload = isJettonTransfer(source) ? transferOf(source).request.payload : ptonPayload(source)
  return payload?.opcode === TONCO.swap ? attempt(() => lastStep(payload)) : undefined
}

/** Payment of a hop; TON when the wallet is unknown. */
function paidBy({ coinsinfo_cell }: PayTo, facts: ContractFacts): AssetAmount {
  const coins = need(coinsinfo_cell, 'pay-out of a hop')
  const [wallet, amount] =
    coins.amount0 >= coins.amount1
      ? [coins.jetton0_address, coins.amount0]
      : [coins.jetton1_address, coins.amount1]
  return { asset: assetOfWallet(facts, wallet) ?? null, amount }
}

const isOk = ({ exit_code }: PayTo): boolean => exit_code === OK || exit_code === SWAPPED

function readSwap({ anchor, captures, facts }: Match) {
  const payments = captures.all('payout').map((block) => fieldsOf(block, TONCO_BODIES.payTo))
  if (payments.length !== captures.all('swap').length + 1) throw new Unfit('swaps and pay-outs do not pair')
  const source = need(captures.find('in'), 'incoming transfer')
  const last = need(captures.all('out').filter(isJettonTransfer).at(-1), 'outgoing transfer')
  const failed = !payments.every(isOk)
  const incoming = readIncoming(source, anchor.source)
  const outgoing = sideOf(transferOf(last))
  const wanted = failed ? readTarget(source) : undefined
  const wantedAsset = assetOfWallet(facts, wanted?.wallet)
  const data = {
    dex: 'tonco',
    sender: incoming.source,
    incoming,
    outgoing,
    hops: hopsOf(
      payments.map((payTo) => ({ ok: isOk(payTo), read: () => paidBy(payTo, facts) })),
      incoming,
    ),
    asset: incoming.asset,
    ...(wanted && wantedAsset !== undefined
      ? { asset2: wantedAsset, minOut: wanted.minOut }
      : { asset2: outgoing.asset, minOut: outgoing.amount }),
  }
  return { data, failed, unwrapped: ptonCallBelow(last) }
}

/** Jettons or pTON sent through a pool, and what was paid. */
export const toncoSwap: Matcher = {
  name: 'tonco_swap',
  anchors: [TONCO.swap],
  pattern: under(
    over(call(TONCO.swap), as('payout', over(call(TONCO.payTo), out))),
    either(
      as('in', jettonTransfer()),
      under(call(JETTON.transferNotification), as('in', call(PTON.tonTransfer))),
    ),
  ),
  build(match) {
    const { data, failed, unwrapped } = readSwap(match)
    const also = unwrapped ? [unwrapped] : []
    return { type: 'jetton_swap', failed, data, also, columns: () => swapColumns(data) }
  },
}

/** A pool that the router creates and sets up. */
export const toncoDeployPool: Matcher = {
  name: 'tonco_deploy_pool',
  anchors: [TONCO.createPool],
  pattern: over(call(TONCO.createPool), as('init', over(call(TONCO.initPool), maybe(call(JETTON.excesses))))),
  build({ anchor, captures }) {
    const init = need(captures.find('init'), 'pool')
    const order = fieldsOf(anchor, TONCO_BODIES.createPool)
    const { jetton_wallet0, jetton_wallet1, activate, minter_cell, ...terms } = order
    const data = {
      jetton0_router_wallet: jetton_wallet0,
      jetton1_router_wallet: jetton_wallet1,
      ...minter_cell,
      ...terms,
      // Routers after version 1 pass it on in another layout.
      pool_active: activate ?? fieldsOf(init, TONCO_BODIES.initPool).pool_active,
    }
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      destination_secondary: init.destination,
      tonco_deploy_pool_data: data,
    })
    return { type: 'tonco_deploy_pool', columns }
  },
}
