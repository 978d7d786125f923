// STON.fi v2 swaps: chains of pools, pTON inside and at the ends.

import { JETTON, PTON, STONFI_V1, STONFI_V2, STONFI_V2_BODIES, stonfiV2Route } from '@shardwalk/contracts'
import { attempt, fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need, Unfit } from '../core/matcher.ts'
import { as, call, defer, either, maybe, over, type Pattern, under } from '../core/pattern.ts'
import { assetOfWallet, type ContractFacts } from '../facts.ts'
import type { AssetAmount, DexTransfer } from '../row.ts'
import type { Address } from '../trace.ts'
import { hopsOf, ptonAmount, ptonCallBelow, ptonPayload, sideOf, swapColumns } from './dex.ts'
import { isJettonTransfer, jettonTransfer, readNotification, transferOf } from './jettons.ts'

const hop: Pattern = as(
  'swap',
  over(
    call(STONFI_V2.swap),
    as(
      'payout',
      over(
        call(STONFI_V2.payTo),
        defer(() => next),
      ),
    ),
  ),
)

/** pTON between two pools: the router sends it to itself with the next swap as payload. */
const ptonToNextSwap: Pattern = {
  test: (block) =>
    block.opcode === PTON.tonTransfer &&
    isJettonTransfer(block.previous) &&
    transferOf(block.previous).receiver === block.destination &&
    ptonPayload(block)?.opcode === STONFI_V2.swap,
}
const throughPton = over(
  as(
    'out',
    jettonTransfer(({ withoutInternal }) => withoutInternal),
  ),
  maybe(over(ptonToNextSwap, maybe(over(call(JETTON.transferNotification), maybe(hop))))),
)
const next: Pattern = either(throughPton, over(as('out', jettonTransfer()), maybe(hop)), hop)

function readPayTo(block: Block) {
  const order = fieldsOf(block, STONFI_V2_BODIES.payTo)
  const first = { amount: order.amount0_out, token: order.token0_address }
  const second = { amount: order.amount1_out, token: order.token1_address }
  return { exitCode: order.exit_code, paid: first.amount >= second.amount ? first : second }
}

interface Pair {
  readonly swap: Block
  readonly payTo: ReturnType<typeof readPayTo>
}

function readPairs({ anchor, captures }: Match): readonly Pair[] {
  const swaps = new Set([anchor, ...captures.all('swap')])
  return captures.all('payout').flatMap((block) => {
    const swap = block.previous
    return swap && swaps.has(swap) ? [{ swap, payTo: readPayTo(block) }] : []
  })
}

/** TON that arrived as pTON, or a jetton. */
export function readIncoming(block: Block, router: Address | null): DexTransfer {
  if (isJettonTransfer(block)) return sideOf(transferOf(block))
  return {
    amount: ptonAmount(block),
    asset: null,
    source: block.source,
    destination: router,
    source_jetton_wallet: null,
    destination_jetton_wallet: block.destination,
  }
}

function readOutgoing(block: Block): DexTransfer {
  const side = sideOf(transferOf(block))
  const unwrapped = ptonCallBelow(block)
  if (!unwrapped) return side
  return {
    ...side,
    asset: null,
    amount: ptonAmount(unwrapped),
    destination: unwrapped.destination,
    destination_jetton_wallet: null,
  }
}

/** The jetton of a hop's payout. Does not match if the wallet is unknown. */
function paidIn({ paid }: Pair['payTo'], facts: ContractFacts): AssetAmount {
  const asset = assetOfWallet(facts, paid.token)
  if (asset === undefined) throw new Unfit('asset of a hop')
  return { asset, amount: paid.amount }
}

/** The asset that a failed swap was to end with. */
function requestedAsset(anchor: Block, source: Block, facts: ContractFacts): Address | null | undefined {
  const wallet = attempt(() => fieldsOf(anchor, stonfiV2Route).at(-1))
  const known = assetOfWallet(facts, wallet)
  if (known !== undefined) return known
  const payload = isJettonTransfer(source)
    ? transferOf(source).request.payload
    : attempt(() => readNotification(need(anchor.previous, 'notification')).payload)
  const first = payload && attempt(() => STONFI_V2_BODIES.swapPayload(payload.afterOpcode()).token_wallet1)
  return assetOfWallet(facts, first)
}

/** Jettons or pTON sent through one pool or several, up to the last payment. */
export const stonfiV2Swap: Matcher = {
  name: 'stonfi_v2_swap',
  anchors: [STONFI_V2.swap],
  pattern: under(
    over(call(STONFI_V2.swap), as('payout', over(call(STONFI_V2.payTo), next))),
    either(
      as('in', jettonTransfer()),
      under(call(JETTON.transferNotification), as('in', call(PTON.tonTransfer))),
    ),
  ),
  build(match) {
    const { anchor, captures, facts } = match
    const source = need(captures.find('in'), 'incoming transfer')
    const last = need(captures.all('out').at(-1), 'outgoing transfer')
    const pairs = readPairs(match)
    const payments = pairs.map(({ payTo }) => ({
      ok: payTo.exitCode === STONFI_V1.swapOk,
      read: () => paidIn(payTo, facts),
    }))
    const failed = payments.some(({ ok }) => !ok)
    const incoming = readIncoming(source, anchor.source)
    const outgoing = readOutgoing(last)
    const requested = failed ? requestedAsset(anchor, source, facts) : undefined
    const data = {
      dex: 'stonfi_v2',
      sender: incoming.source,
      incoming,
      outgoing,
      hops: hopsOf(payments, incoming),
      asset: incoming.asset,
      asset2: requested === undefined ? outgoing.asset : requested,
    }
    const unwrapped = ptonCallBelow(last)
    return {
      type: 'jetton_swap',
      failed,
      data,
      also: unwrapped ? [unwrapped] : [],
      columns: () => swapColumns(data),
    }
  },
}
