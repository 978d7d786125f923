// STON.fi v1: one pool per swap, between two jettons or a jetton and pTON.
import { STONFI_V1 } from '@shardwalk/contracts'
import { attempt, bodyAfterQuery, loadAddress } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need } from '../core/matcher.ts'
import { call, over } from '../core/pattern.ts'
import { type ContractFacts, walletOf } from '../facts.ts'
import type { DexTransfer } from '../row.ts'
import type { Address } from '../trace.ts'
import { swapColumns } from './dex.ts'
import { isJettonTransfer, jettonTransfer, transferOf } from './jettons.ts'

/** Pay-outs to the sender of the swap; others go to the referral and stay outside. */
const OWN_CODES: readonly number[] = [STONFI_V1.swapOk, STONFI_V1.noLiquidity, STONFI_V1.reserveError]

interface SwapOrder {
  readonly fromUser: Address | null
  readonly tokenWallet: Address | null
  readonly amount: bigint
  readonly realUser: Address | null
}

/**
 * `query_id from_user:Addr token_wallet:Addr amount:Coins min_out:Coins has_ref:1 ^[from_real_user:Addr
 * ref?:Addr]`.
 */
function readOrder(block: Block): SwapOrder {
  const body = bodyAfterQuery(block)
  const order = { fromUser: loadAddress(body), tokenWallet: loadAddress(body), amount: body.loadCoins() }
  body.loadCoins()
  return { ...order, realUser: loadAddress(body.skip(1).loadRefSlice()) }
}

interface PayTo {
  readonly block: Block
  readonly exitCode: number
  readonly amount: bigint
  readonly token: Address | null
}

/**
 * `query_id owner:Addr exit_code:32 ^[amount0:Coins token0:Addr amount1:Coins token1:Addr]`: one of the
 * amounts is zero.
 */
function readPayTo(block: Block): PayTo {
  const body = bodyAfterQuery(block)
  loadAddress(body)
  const exitCode = body.loadUint(32)
  const tokens = body.loadRefSlice()
  const first = { amount: tokens.loadCoins(), token: loadAddress(tokens) }
  const paid = first.amount !== 0n ? first : { amount: tokens.loadCoins(), token: loadAddress(tokens) }
  return { block, exitCode, ...paid }
}

/** Payload of the request: `jetton_wallet:Addr min_out:Coins user:Addr`. */
function readAsked(
  anchor: Block,
): { readonly wallet: Address | null; readonly user: Address | null } | undefined {
  const { payload } = transferOf(anchor).request
  if (payload?.opcode !== STONFI_V1.swap) return undefined
  return attempt(() => {
    const slice = payload.afterOpcode()
    const wallet = loadAddress(slice)
    slice.loadCoins()
    return { wallet, user: loadAddress(slice) }
  })
}

const masterOf = (facts: ContractFacts, wallet: Address | null): Address | null =>
  walletOf(facts, wallet)?.jetton ?? null

function readIncoming({ anchor, facts }: Match, order: SwapOrder): DexTransfer {
  const { senderWallet } = transferOf(anchor)
  const wallet = need(walletOf(facts, order.tokenWallet), 'wallet of the router')
  return {
    amount: order.amount,
    asset: wallet.jetton,
    source: order.realUser ?? order.fromUser,
    destination: wallet.owner,
    source_jetton_wallet: senderWallet,
    destination_jetton_wallet: order.tokenWallet,
  }
}

function readOutgoing({ facts }: Match, paid: PayTo, user: Address | null): DexTransfer {
  const given = transferOf(need(paid.block.next.find(isJettonTransfer), 'transfer'))
  return {
    amount: paid.amount,
    asset: masterOf(facts, paid.token),
    source: given.sender,
    source_jetton_wallet: given.senderWallet,
    destination: given.withoutInternal ? user : given.receiver,
    destination_jetton_wallet: given.withoutInternal ? null : given.receiverWallet,
  }
}

export const stonfiSwap: Matcher = {
  name: 'stonfi_swap',
  anchors: ['jetton_transfer'],
  pattern: over(jettonTransfer(), over(call(STONFI_V1.swap), over(call(STONFI_V1.payTo), jettonTransfer()))),
  build(match) {
    const { anchor, captures, facts } = match
    const orderBlock = need(captures.call(STONFI_V1.swap), 'swap')
    const order = readOrder(orderBlock)
    const payments = captures.calls(STONFI_V1.payTo).map(readPayTo)
    const own = payments.filter(({ exitCode }) => OWN_CODES.includes(exitCode))
    // The referral's share may carry the same code as the user's: the largest is the user's.
    const paid = need(
      own.reduce<PayTo | undefined>((a, b) => (a && a.amount >= b.amount ? a : b), undefined),
      'pay-out',
    )
    const asked = readAsked(anchor)
    const incoming = readIncoming(match, order)
    const outgoing = readOutgoing(match, paid, asked?.user ?? order.fromUser)
    const askedWallet = asked?.wallet ?? paid.token
    const asset2 = masterOf(facts, askedWallet) ?? outgoing.asset
    const data = {
      dex: 'stonfi',
      sender: incoming.source,
      incoming,
      outgoing,
      hops: [],
      asset: incoming.asset,
      asset2,
    }
    const referrals = new Set(payments.filter((payment) => !own.includes(payment)).map(({ block }) => block))
    const absorb = [anchor, ...captures.blocks().filter((block) => !isBelow(block, referrals))]
    const columns = () => ({ ...swapColumns(data), destination_secondary: askedWallet })
    return { type: 'jetton_swap', failed: own.at(-1)?.exitCode !== STONFI_V1.swapOk, data, absorb, columns }
  },
}

function isBelow(block: Block, tops: ReadonlySet<Block>): boolean {
  for (let at: Block | undefined = block; at; at = at.previous) if (tops.has(at)) return true
  return false
}
