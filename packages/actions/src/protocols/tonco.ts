// TONCO: concentrated liquidity; swaps.

import type { Slice } from '@shardwalk/cells'
import { JETTON, PTON, TONCO } from '@shardwalk/contracts'
import { attempt, bodyAfterQuery, loadAddress } from '../body.ts'
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

export interface PayTo {
  readonly exitCode: number
  readonly receivers: readonly [Address | null, Address | null]
  /** Undefined: nothing to pay. */
  readonly coins: readonly [PaidCoins, PaidCoins] | undefined
}

interface PaidCoins {
  readonly amount: bigint
  readonly wallet: Address | null
}

const loadPaid = (slice: Slice): PaidCoins => ({ amount: slice.loadCoins(), wallet: loadAddress(slice) })

/**
 * `query_id receiver0:Addr receiver1:Addr exit_code:32 seqno:64 (Maybe ^[amount0:Coins wallet0:Addr
 * amount1:Coins wallet1:Addr])`.
 */
export function readPayTo(block: Block): PayTo {
  const body = bodyAfterQuery(block)
  const receivers = [loadAddress(body), loadAddress(body)] as const
  const exitCode = body.loadUint(32)
  const coins = body.skip(64).loadMaybeRefSlice()
  return { exitCode, receivers, coins: coins && [loadPaid(coins), loadPaid(coins)] }
}

interface Wanted {
  readonly wallet: Address | null
  readonly minOut: bigint
}

/** Last step of `target_wallet:Addr price_limit:160 min_out:Coins recipient:Addr next:(Maybe ^payload)`. */
function lastStep(payload: Slice): Wanted {
  for (let step = payload; ; ) {
    const wallet = loadAddress(step)
    const minOut = step.skip(160).loadCoins()
    loadAddress(step)
    const next = attempt(() => step.loadMaybeRefSlice())
    if (!next) return { wallet, minOut }
    step = next.remainingBits >= 32 && next.preloadUint(32) === TONCO.swap ? next.skip(32) : next
  }
}

/** What the request of a failed swap wanted in the end, told by its payload. */
function readWanted(source: Block): Wanted | undefined {
  const payload = isJettonTransfer(source) ? transferOf(source).request.payload : ptonPayload(source)
  return payload?.opcode === TONCO.swap ? attempt(() => lastStep(payload.afterOpcode())) : undefined
}

/** What a hop paid; TON where nobody knows the wallet. */
function paidBy({ coins }: PayTo, facts: ContractFacts): AssetAmount {
  const [first, second] = need(coins, 'pay-out of a hop')
  const paid = first.amount >= second.amount ? first : second
  return { asset: assetOfWallet(facts, paid.wallet) ?? null, amount: paid.amount }
}

const isOk = ({ exitCode }: PayTo): boolean => exitCode === OK || exitCode === SWAPPED

function readSwap({ anchor, captures, facts }: Match) {
  const payments = captures.all('payout').map(readPayTo)
  if (payments.length !== captures.all('swap').length + 1) throw new Unfit('swaps and pay-outs do not pair')
  const source = need(captures.find('in'), 'incoming transfer')
  const last = need(captures.all('out').filter(isJettonTransfer).at(-1), 'outgoing transfer')
  const failed = !payments.every(isOk)
  const incoming = readIncoming(source, anchor.source)
  const outgoing = sideOf(transferOf(last))
  const wanted = failed ? readWanted(source) : undefined
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

export const toncoDeployPool: Matcher = {
  name: 'tonco_deploy_pool',
  anchors: [TONCO.createPool],
  pattern: over(call(TONCO.createPool), as('init', over(call(TONCO.initPool), maybe(call(JETTON.excesses))))),
  build({ anchor, captures }) {
    const init = need(captures.find('init'), 'pool')
    const body = bodyAfterQuery(anchor)
    const wallets = [loadAddress(body), loadAddress(body)] as const
    const terms = {
      tick_spacing: body.loadInt(24),
      initial_price_x96: body.loadUintBig(160),
      protocol_fee: body.loadUint(16),
      lp_fee_base: body.loadUint(16),
      lp_fee_current: body.loadUint(16),
    }
    const minters = body.skipRefs(2).loadRefSlice()
    const data = {
      jetton0_router_wallet: wallets[0],
      jetton1_router_wallet: wallets[1],
      jetton0_minter: loadAddress(minters),
      jetton1_minter: loadAddress(minters),
      ...terms,
      pool_active: readPoolActive(init),
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

/**
 * `from_admin:1 has_admin:1 admin:Addr has_controller:1 controller:Addr set_spacing:1 spacing:i24 set_price:1
 * price:160 set_active:1 pool_active:1`.
 */
function readPoolActive(init: Block): boolean {
  const body = bodyAfterQuery(init)
  loadAddress(body.skip(2))
  loadAddress(body.skip(1))
  return body.skip(1 + 24 + 1 + 160 + 1).loadBit()
}
