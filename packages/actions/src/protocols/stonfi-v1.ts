// STON.fi v1: one pool per swap, between two jettons or a jetton and pTON.
import { STONFI_V1, STONFI_V1_BODIES } from '@shardwalk/contracts'
import { attempt, fieldsOf } from '../body.ts'
import type { Block } from '../core/block.ts'
import { type Match, type Matcher, need } from '../core/matcher.ts'
import { call, over } from '../core/pattern.ts'
import { type ContractFacts, walletOf } from '../facts.ts'
import type { DexTransfer } from '../row.ts'
import type { Address } from '../trace.ts'
import { swapColumns } from './dex.ts'
import { isJettonTransfer, jettonTransfer, transferOf } from './jettons.ts'

/** Payouts to the sender of the swap; others go to the referral and stay outside. */
const OWN_CODES: readonly number[] = [STONFI_V1.swapOk, STONFI_V1.noLiquidity, STONFI_V1.reserveError]

type SwapOrder = ReturnType<typeof STONFI_V1_BODIES.swap>

interface PayTo {
  readonly block: Block
  readonly exitCode: number
  readonly amount: bigint
  readonly token: Address | null
}

/** One of the amounts is zero. */
function readPayTo(block: Block): PayTo {
  const { exit_code, params } = fieldsOf(block, STONFI_V1_BODIES.payTo)
  const paid =
    params.amount0_out !== 0n
      ? { amount: params.amount0_out, token: params.token0_address }
      : { amount: params.amount1_out, token: params.token1_address }
  return { block, exitCode: exit_code, ...paid }
}

/** What the payload of the request asked for. */
function readAsked(
  anchor: Block,
): { readonly wallet: Address | null; readonly user: Address | null } | undefined {
  const { payload } = transferOf(anchor).request
  if (payload?.opcode !== STONFI_V1.swap) return undefined
  return attempt(() => {
    const { token_wallet, to_address } = STONFI_V1_BODIES.swapPayload(payload.afterOpcode())
    return { wallet: token_wallet, user: to_address }
  })
}

const masterOf = (facts: ContractFacts, wallet: Address | null): Address | null =>
  walletOf(facts, wallet)?.jetton ?? null

function readIncoming({ anchor, facts }: Match, order: SwapOrder): DexTransfer {
  const { senderWallet } = transferOf(anchor)
  const wallet = need(walletOf(facts, order.sender_address), 'wallet of the router')
  return {
    amount: order.jetton_amount,
    asset: wallet.jetton,
    source: order.addrs.from_user ?? order.to_address,
    destination: wallet.owner,
    source_jetton_wallet: senderWallet,
    destination_jetton_wallet: order.sender_address,
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

/** Jettons sent to a router, and what the pool paid. */
export const stonfiSwap: Matcher = {
  name: 'stonfi_swap',
  anchors: ['jetton_transfer'],
  pattern: over(jettonTransfer(), over(call(STONFI_V1.swap), over(call(STONFI_V1.payTo), jettonTransfer()))),
  build(match) {
    const { anchor, captures, facts } = match
    const orderBlock = need(captures.call(STONFI_V1.swap), 'swap')
    const order = fieldsOf(orderBlock, STONFI_V1_BODIES.swap)
    const payments = captures.calls(STONFI_V1.payTo).map(readPayTo)
    const own = payments.filter(({ exitCode }) => OWN_CODES.includes(exitCode))
    // The referral's share may have the same code as the user's; the largest is the user's.
    const paid = need(
      own.reduce<PayTo | undefined>((a, b) => (a && a.amount >= b.amount ? a : b), undefined),
      'pay-out',
    )
    const asked = readAsked(anchor)
    const incoming = readIncoming(match, order)
    const outgoing = readOutgoing(match, paid, asked?.user ?? order.to_address)
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
