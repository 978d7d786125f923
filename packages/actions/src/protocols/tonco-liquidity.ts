// TONCO: positions opened and closed.

import type { Slice } from '@shardwalk/cells'
import { JETTON, PTON, TONCO } from '@shardwalk/contracts'
import { attempt, bodyAfterQuery, loadAddress, loadTick } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need } from '../core/matcher.ts'
import { as, built, call, either, maybe, over, overList, type Pattern, under } from '../core/pattern.ts'
import { assetOfWallet, type ContractFacts, withoutPton } from '../facts.ts'
import type { AssetAmount, Columns } from '../row.ts'
import type { Address } from '../trace.ts'
import { depositData, type Payout, payoutOf, withdrawData } from './dex.ts'
import { isJettonTransfer, jettonTransfer, readNotification, transferOf } from './jettons.ts'
import { nftMintOf } from './nft-mint.ts'
import { type PayTo, readPayTo } from './tonco.ts'

const OK = 0
const BURNT = 201

/** The router's wallet of wrapped TON. */
const WTTON_WALLET = '0:871DA9215B14902166F0EA2A16DB56278D528108377F8158C5F4CCFDFDD22E17'

const refund = (label: string): Pattern => as(label, over(jettonTransfer(), maybe(call(PTON.tonTransfer))))

interface Funding {
  readonly sender: Address | null
  readonly amount: bigint
  /** Undefined: no known wallet. */
  readonly asset: Address | null | undefined
  readonly otherAsset: Address | null
}

/** Who brought what: the transfer or pTON notification, payload `other_wallet:Addr ...`. */
function readFunding({ captures, facts }: Match): Funding {
  const source = need(captures.find('in'), 'incoming transfer')
  const { from, amount, payload, asset } = isJettonTransfer(source)
    ? ofTransfer(source)
    : ofPton(captures.find('notification'), facts)
  const body = payload?.opcode === TONCO.fundAccount ? payload.afterOpcode() : undefined
  const otherWallet = loadAddress(need(body, 'payload'))
  return { sender: from, amount, asset, otherAsset: assetOfWallet(facts, otherWallet) ?? null }
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

/** `liquidity:128 tick_lower:i24 tick_upper:i24`. */
const loadRange = (slice: Slice) => ({
  liquidity: slice.loadUintBig(128),
  lower: loadTick(slice),
  upper: loadTick(slice),
})

/**
 * Position init: `query_id user:Addr liquidity:128 tick_lower tick_upper ^[fee0:256 fee1:256 nft_index:64
 * ...]`.
 */
function readPosition(block: Block) {
  const body = bodyAfterQuery(block)
  loadAddress(body)
  const { liquidity } = loadRange(body)
  const index = body.loadRefSlice().skip(512).loadUintBig(64)
  return { lp_tokens_minted: liquidity, nft_index: index, nft_address: nftMintOf(block).item }
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
    const body = bodyAfterQuery(anchor)
    const [amount0, , enough0, enough1] = [
      body.loadCoins(),
      body.loadCoins(),
      body.loadCoins(),
      body.loadCoins(),
    ]
    const range = loadRange(body)
    const isFirst = amount0 > 0n
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
      target_amount_1: enough0,
      target_amount_2: enough1,
      vault_excesses: readRefunds(captures.all('refund')),
      tick_lower: range.lower,
      tick_upper: range.upper,
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

/** A captured transfer, or what the order to pay says when there is none. */
function resultOf(side: 0 | 1, { block, payTo, router, facts }: Paid): Payout | undefined {
  if (block) return payoutOf(block)
  const coins = payTo.coins?.[side]
  if (!coins) return undefined
  const wallet = coins.wallet === WTTON_WALLET ? null : coins.wallet
  return {
    amount: coins.amount,
    asset: assetOfWallet(facts, coins.wallet) ?? null,
    userWallet: payTo.receivers[side],
    dexWallet: router,
    dexJettonWallet: wallet,
  }
}

interface Paid {
  readonly block: Block | undefined
  readonly payTo: PayTo
  /** Destination of the order to pay. */
  readonly router: Address | null
  readonly facts: ContractFacts
}

const isSide = (block: Block, payTo: PayTo, side: 0 | 1): boolean => {
  const wallet = payTo.coins?.[side].wallet
  const { senderWallet, withoutInternal } = transferOf(block)
  return wallet === WTTON_WALLET ? withoutInternal : wallet === senderWallet
}

/** The two results in the pool's order, whichever message came first. */
function readResults(captures: Match['captures'], payBlock: Block, facts: ContractFacts) {
  const payTo = readPayTo(payBlock)
  const router = payBlock.source
  const found = captures.all('paid')
  const first = found.find((block) => isSide(block, payTo, 0))
  const second =
    found.find((block) => block !== first && isSide(block, payTo, 1)) ??
    found.find((block) => block !== first)
  const results = [
    resultOf(0, { block: first, payTo, router, facts }),
    resultOf(1, { block: second, payTo, router, facts }),
  ] as const
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
    const start = bodyAfterQuery(anchor)
    const startIndex = start.loadUintBig(64)
    const range = loadRange(start)
    const position = need(captures.find('position'), 'position')
    const pool = need(captures.find('pool'), 'pool')
    const poolIndex = attempt(() => readPoolIndex(pool)) ?? 0n
    const { payTo, results } = readResults(captures, need(captures.find('payto'), 'pay-out'), facts)
    const data = withdrawData('tonco', results, {
      lp_tokens_burnt: range.liquidity,
      burned_nft_index: poolIndex !== 0n ? poolIndex : startIndex,
      burned_nft_address: position.destination,
      tick_lower: range.lower,
      tick_upper: range.upper,
    })
    const owner = loadAddress(bodyAfterQuery(position))
    const columns = (): Columns => ({
      source: owner,
      destination: pool.destination,
      dex_withdraw_liquidity_data: data,
    })
    const failed = payTo.exitCode !== OK && payTo.exitCode !== BURNT
    return { type: 'tonco_withdraw_liquidity', action: 'dex_withdraw_liquidity', failed, columns }
  },
}

function readPoolIndex(block: Block): bigint {
  const body = bodyAfterQuery(block)
  loadAddress(body)
  return body.loadUintBig(64)
}

export { deposit as toncoDeposit, withdrawal as toncoWithdraw }
