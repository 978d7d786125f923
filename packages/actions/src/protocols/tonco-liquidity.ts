// TONCO: positions opened and closed.

import { JETTON, PTON, TONCO, TONCO_BODIES } from '@shardwalk/contracts'
import { attempt, fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need } from '../core/matcher.ts'
import { as, built, call, either, maybe, over, overList, type Pattern, under } from '../core/pattern.ts'
import { assetOfWallet, type ContractFacts, withoutPton } from '../facts.ts'
import type { AssetAmount, Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { depositData, type Payout, payoutOf, withdrawData } from './dex.ts'
import { isJettonTransfer, jettonTransfer, readNotification, transferOf } from './jettons.ts'
import { nftMintOf } from './nft-mint.ts'

const OK = 0
const BURNT = 201

/** Wrapped TON of the first router, on mainnet. Source: toncenter/ton-indexer, blocks/liquidity.py. */
const WTTON_WALLET = '0:871DA9215B14902166F0EA2A16DB56278D528108377F8158C5F4CCFDFDD22E17'

const isWrappedTon = (wallet: Address | null | undefined, facts: ContractFacts): boolean =>
  wallet === WTTON_WALLET || assetOfWallet(facts, wallet) === null

type PayTo = ReturnType<typeof TONCO_BODIES.payTo>

const refund = (label: string): Pattern => as(label, over(jettonTransfer(), maybe(call(PTON.tonTransfer))))

interface Funding {
  readonly sender: Address | null
  readonly amount: bigint
  /** Undefined: no known wallet. */
  readonly asset: Address | null | undefined
  readonly otherAsset: Address | null
}

/** Who brought what: the transfer or pTON notification. */
function readFunding({ captures, facts }: Match): Funding {
  const source = need(captures.find('in'), 'incoming transfer')
  const { from, amount, payload, asset } = isJettonTransfer(source)
    ? ofTransfer(source)
    : ofPton(captures.find('notification'), facts)
  const order = need(payload?.opcode === TONCO.fundAccount ? payload.afterOpcode() : undefined, 'payload')
  const { other_jetton_wallet } = TONCO_BODIES.fundAccountPayload(order)
  return { sender: from, amount, asset, otherAsset: assetOfWallet(facts, other_jetton_wallet) ?? null }
}

function ofTransfer(block: Block) {
  const transfer = transferOf(block)
  const { sender, amount, asset, request } = transfer
  return { from: sender, amount, payload: request.payload, asset: withoutPton(asset) }
}

function ofPton(block: Block | undefined, facts: ContractFacts) {
  const notification = readNotification(need(block, 'notification'))
  return { ...notification, asset: assetOfWallet(facts, block?.source) }
}

function readPosition(block: Block) {
  const { liquidity, old_fee_cell } = fieldsOf(block, TONCO_BODIES.initPosition)
  return {
    lp_tokens_minted: liquidity,
    nft_index: old_fee_cell.nft_index,
    nft_address: nftMintOf(block).item,
  }
}

function readRefunds(blocks: readonly Block[]): AssetAmount[] {
  return blocks.map((block) => {
    const { asset, amount } = payoutOf(block)
    return { asset, amount }
  })
}

const deposit: Matcher = {
  name: 'tonco_deposit',
  anchors: [TONCO.addLiquidity],
  pattern: under(
    over(
      call(TONCO.addLiquidity),
      maybe(
        overList(
          call(TONCO.mintAndRefund),
          maybe(overList(call(TONCO.payTo), maybe(refund('refund')), maybe(refund('refund')))),
          as('nft', built('nft_mint')),
          maybe(call(JETTON.excesses)),
        ),
      ),
    ),
    under(
      call(TONCO.fundAccount),
      either(
        as('notification', under(call(JETTON.transferNotification), as('in', call(PTON.tonTransfer)))),
        as('in', jettonTransfer()),
      ),
    ),
  ),
  build(match) {
    const { anchor, captures } = match
    const funding = readFunding(match)
    const order = fieldsOf(anchor, TONCO_BODIES.addLiquidity)
    const isFirst = order.new_amount0 > 0n
    const own = funding.asset ?? null
    const source = need(captures.find('in'), 'incoming transfer')
    const wallet = isJettonTransfer(source) ? transferOf(source).senderWallet : null
    const nft = captures.find('nft')
    const data = depositData('tonco', {
      asset1: own,
      amount1: funding.amount,
      user_jetton_wallet_1: isFirst ? wallet : null,
      user_jetton_wallet_2: isFirst ? null : wallet,
      target_asset_1: isFirst ? own : funding.otherAsset,
      target_asset_2: isFirst ? funding.otherAsset : own,
      target_amount_1: order.new_enough0,
      target_amount_2: order.new_enough1,
      vault_excesses: readRefunds(captures.all('refund')),
      tick_lower: order.tick_lower,
      tick_upper: order.tick_upper,
      ...(nft && readPosition(nft)),
    })
    const columns = (): Columns => ({
      source: funding.sender,
      source_secondary: wallet,
      destination: anchor.source,
      destination_secondary: anchor.destination,
      dex_deposit_liquidity_data: data,
    })
    return { type: 'tonco_deposit_liquidity', action: 'dex_deposit_liquidity', columns }
  },
}

/** A captured transfer, or the values of the payment order when there is none. */
function resultOf(side: 0 | 1, { block, payTo, router, facts }: Paid): Payout | undefined {
  if (block) return payoutOf(block)
  const coins = coinsOf(payTo, side)
  if (!coins) return undefined
  const wallet = isWrappedTon(coins.wallet, facts) ? null : coins.wallet
  return {
    amount: coins.amount,
    asset: assetOfWallet(facts, coins.wallet) ?? null,
    userWallet: side === 0 ? payTo.reciever0 : payTo.reciever1,
    dexWallet: router,
    dexJettonWallet: wallet,
  }
}

function coinsOf({ coinsinfo_cell: coins }: PayTo, side: 0 | 1) {
  if (!coins) return undefined
  return side === 0
    ? { amount: coins.amount0, wallet: coins.jetton0_address }
    : { amount: coins.amount1, wallet: coins.jetton1_address }
}

interface Paid {
  readonly block: Block | undefined
  readonly payTo: PayTo
  /** Destination of the payment order. */
  readonly router: Address | null
  readonly facts: ContractFacts
}

function isSide(side: 0 | 1, { block, payTo, facts }: Paid & { readonly block: Block }): boolean {
  const wallet = coinsOf(payTo, side)?.wallet
  const { senderWallet, withoutInternal } = transferOf(block)
  return isWrappedTon(wallet, facts) ? withoutInternal : wallet === senderWallet
}

/** The two results in the pool's order, whichever message came first. */
function readResults(captures: Match['captures'], payBlock: Block, facts: ContractFacts) {
  const payTo = fieldsOf(payBlock, TONCO_BODIES.payTo)
  const router = payBlock.source
  const found = captures.all('paid')
  const order = { payTo, router, facts }
  const first = found.find((block) => isSide(0, { block, ...order }))
  const second =
    found.find((block) => block !== first && isSide(1, { block, ...order })) ??
    found.find((block) => block !== first)
  const results = [resultOf(0, { block: first, ...order }), resultOf(1, { block: second, ...order })] as const
  return { payTo, results }
}

const withdrawal: Matcher = {
  name: 'tonco_withdraw',
  anchors: [TONCO.startBurn],
  pattern: over(
    call(TONCO.startBurn),
    as(
      'position',
      over(
        call(TONCO.positionBurn),
        as(
          'pool',
          over(
            call(TONCO.poolBurn),
            as('payto', overList(call(TONCO.payTo), maybe(refund('paid')), maybe(refund('paid')))),
          ),
        ),
      ),
    ),
  ),
  build({ anchor, captures, facts }) {
    const order = fieldsOf(anchor, TONCO_BODIES.startBurn)
    const position = need(captures.find('position'), 'position')
    const pool = need(captures.find('pool'), 'pool')
    const poolIndex = attempt(() => fieldsOf(pool, TONCO_BODIES.burnInPool).burned_index) ?? 0n
    const { payTo, results } = readResults(captures, need(captures.find('payto'), 'pay-out'), facts)
    const data = withdrawData('tonco', results, {
      lp_tokens_burnt: order.liquidity_to_burn,
      burned_nft_index: poolIndex !== 0n ? poolIndex : order.burned_index,
      burned_nft_address: position.destination,
      tick_lower: order.tick_lower,
      tick_upper: order.tick_upper,
    })
    const owner = fieldsOf(position, TONCO_BODIES.burnPosition).nft_owner
    const columns = (): Columns => ({
      source: owner,
      destination: pool.destination,
      dex_withdraw_liquidity_data: data,
    })
    const failed = payTo.exit_code !== OK && payTo.exit_code !== BURNT
    return { type: 'tonco_withdraw_liquidity', action: 'dex_withdraw_liquidity', failed, columns }
  },
}

export { deposit as toncoDeposit, withdrawal as toncoWithdraw }
