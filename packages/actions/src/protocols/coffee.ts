// Coffee (swap.coffee): swaps, liquidity.

import { COFFEE, COFFEE_BODIES, JETTON } from '@shardwalk/contracts'
import { attempt, fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need, Unfit } from '../core/matcher.ts'
import {
  as,
  built,
  call,
  chain,
  either,
  log,
  maybe,
  over,
  overList,
  type Pattern,
  under,
} from '../core/pattern.ts'
import type { AssetAmount, Columns, DexTransfer, PeerSwap } from '../row.ts'
import type { Address } from '../trace.ts'
import { depositData, type Payout, sideOf, swapColumns, withdrawData } from './dex.ts'
import { burnOf, internalAmount, isJettonTransfer, jettonTransfer, transferOf } from './jettons.ts'

const delivery: Pattern = as('out', either(jettonTransfer(), call(COFFEE.payout), call(COFFEE.notification)))
const payout: Pattern = as('payout', over(call(COFFEE.payoutInternal), delivery))

/**
 * What a vault delivers below an order to pay: a notification brings the TON itself unless it goes to a third
 * party; then it precedes the delivery.
 */
const deliveredBy = (payment: Block): Block | undefined =>
  payment.next.find((block) => isJettonTransfer(block) || block.opcode === COFFEE.payout) ??
  payment.next.find(({ opcode }) => opcode === COFFEE.notification)

function readIncoming(block: Block): DexTransfer {
  if (isJettonTransfer(block)) return sideOf(transferOf(block))
  const { amount } = fieldsOf(block, COFFEE_BODIES.swapNative)
  return ton(amount, block.source, block.destination)
}

const ton = (amount: bigint, source: Address | null, destination: Address | null): DexTransfer => ({
  amount,
  asset: null,
  source,
  destination,
  source_jetton_wallet: null,
  destination_jetton_wallet: null,
})

function readOutgoing(payment: Block, given: Block): DexTransfer {
  if (isJettonTransfer(given)) return sideOf(transferOf(given))
  if (given.opcode === COFFEE.notification) return ton(given.value, given.source, given.destination)
  const { recipient, amount } = fieldsOf(payment, COFFEE_BODIES.payoutInternal)
  return ton(amount, payment.source, recipient)
}

function readHops(events: readonly Block[], last: Address | null): PeerSwap[] {
  const read = events.map((event) => fieldsOf(event, COFFEE_BODIES.swapEvent))
  if (read.length < 2) return []
  return read.map(({ input, input_amount, output_amount }, i) => {
    const following = read[i + 1]
    return {
      asset_in: input,
      amount_in: input_amount,
      asset_out: following ? following.input : last,
      amount_out: output_amount,
    }
  })
}

/** Any number of hops through pools, until something is paid out. */
export const coffeeSwap: Matcher = {
  name: 'coffee_swap',
  anchors: [COFFEE.swapInternal],
  pattern: under(
    overList(
      call(COFFEE.swapInternal),
      log(COFFEE.swapEvent),
      either(chain(over(call(COFFEE.swapInternal), log(COFFEE.swapEvent)), payout), payout),
    ),
    as('in', either(jettonTransfer(), call(COFFEE.swapNative))),
  ),
  build({ captures }) {
    const payment = need(captures.find('payout'), 'pay-out')
    const incoming = readIncoming(need(captures.find('in'), 'incoming transfer'))
    const outgoing = readOutgoing(payment, need(deliveredBy(payment), 'delivery'))
    const data = {
      dex: 'coffee',
      sender: incoming.source,
      incoming,
      outgoing,
      hops: readHops(captures.calls(COFFEE.swapEvent), outgoing.asset),
      asset: incoming.asset,
      asset2: outgoing.asset,
    }
    return { type: 'jetton_swap', data, columns: () => swapColumns(data) }
  },
}

function readExcess({ captures }: Match): AssetAmount[] {
  const given = captures.find('out')
  if (!given) return []
  if (!isJettonTransfer(given)) return [{ asset: null, amount: given.value }]
  const { asset, amount } = transferOf(given)
  return [{ asset, amount }]
}

/** One of the two assets of a deposit; the second one mints tokens of liquidity. */
export const coffeeDeposit: Matcher = {
  name: 'coffee_deposit',
  anchors: [COFFEE.depositRequest],
  pattern: under(
    over(
      call(COFFEE.depositRequest),
      as(
        'deploy',
        over(
          call(COFFEE.deploy),
          maybe(
            overList(
              call(COFFEE.depositInternal),
              as('lp', over(call(JETTON.internalTransfer), maybe(call(JETTON.excesses)))),
              as('ok', log(COFFEE.depositEvent)),
              maybe(over(call(COFFEE.payoutInternal), delivery)),
            ),
          ),
        ),
      ),
    ),
    as('in', either(call(COFFEE.depositNative), jettonTransfer())),
  ),
  build(match) {
    const { anchor, captures } = match
    const { amount, params, sender } = fieldsOf(anchor, COFFEE_BODIES.depositRequest)
    const pool = params.pool_params
    const source = need(captures.find('in'), 'incoming transfer')
    const transfer = isJettonTransfer(source) ? transferOf(source) : undefined
    const asset = transfer?.asset ?? null
    if (asset !== pool.first && asset !== pool.second) throw new Unfit('asset is not of the pool')
    const isFirst = asset === pool.first
    const wallet = transfer?.senderWallet ?? null
    const ok = captures.find('ok')
    const lp = captures.find('lp')
    const minted =
      (ok && attempt(() => fieldsOf(ok, COFFEE_BODIES.depositEvent).lp_amount)) ??
      (lp && attempt(() => internalAmount(lp))) ??
      null
    const data = depositData('coffee', {
      ...(isFirst
        ? { asset1: asset, amount1: amount, user_jetton_wallet_1: wallet }
        : { asset2: asset, amount2: amount, user_jetton_wallet_2: wallet }),
      lp_tokens_minted: minted,
      target_asset_1: asset,
      target_asset_2: isFirst ? pool.second : pool.first,
      vault_excesses: readExcess(match),
    })
    const columns = (): Columns => ({
      source: sender,
      destination: ok?.source ?? null,
      destination_secondary: need(captures.find('deploy'), 'deposit contract').destination,
      dex_deposit_liquidity_data: data,
    })
    return { type: 'coffee_deposit_liquidity', action: 'dex_deposit_liquidity', columns }
  },
}

function readWithdrawn(payment: Block, amount: bigint): Payout {
  const given = deliveredBy(payment)
  const dexWallet = payment.source
  if (!isJettonTransfer(given))
    return { amount, asset: null, userWallet: given?.destination ?? null, dexWallet, dexJettonWallet: null }
  const { asset, receiverWallet, senderWallet } = transferOf(given)
  return { amount, asset, userWallet: receiverWallet, dexWallet, dexJettonWallet: senderWallet }
}

/** Tokens of liquidity burnt for both assets. */
export const coffeeWithdraw: Matcher = {
  name: 'coffee_withdraw',
  anchors: ['jetton_burn'],
  pattern: overList(built('jetton_burn'), payout, payout, as('ok', log(COFFEE.withdrawalEvent))),
  build({ anchor, captures }) {
    const ok = need(captures.find('ok'), 'event')
    const { amount1, amount2 } = fieldsOf(ok, COFFEE_BODIES.withdrawalEvent)
    // Clients expect the payout sent last as number 1; docs/actions.md describes the consequence.
    const [second, first] = captures.all('payout')
    const burnt = burnOf(anchor)
    const data = withdrawData(
      'coffee',
      [readWithdrawn(need(first, 'pay-out'), amount1), readWithdrawn(need(second, 'pay-out'), amount2)],
      { lp_tokens_burnt: burnt.amount },
    )
    const columns = (): Columns => ({
      source: burnt.owner,
      source_secondary: burnt.wallet,
      asset: burnt.asset,
      destination: ok.source,
      dex_withdraw_liquidity_data: data,
    })
    return { type: 'dex_withdraw_liquidity', columns }
  },
}
