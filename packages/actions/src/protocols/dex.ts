// Shared by all DEXes: rows of swaps, deposits and withdrawals; pTON as a means of paying TON.
import { PTON, PTON_BODIES } from '@shardwalk/contracts'
import { attempt, fieldsOf, Payload } from '../body.ts'
import type { Block } from '../core/block.ts'
import { withoutPton } from '../facts.ts'
import type { AssetAmount, Columns, DexDepositData, DexTransfer, DexWithdrawData, PeerSwap } from '../row.ts'
import type { Address } from '../trace.ts'
import { type JettonTransfer, transferOf } from './jettons.ts'

/** A swap through any number of pools of one DEX. An asset is null for TON. */
export interface Swap {
  readonly dex: string
  /** As defined by the DEX; stored but not returned. */
  readonly sender: Address | null
  readonly incoming: DexTransfer
  readonly outgoing: DexTransfer
  /** A swap through one pool has none. */
  readonly hops: readonly PeerSwap[]
  readonly asset: Address | null
  readonly asset2: Address | null
  readonly minOut?: bigint | null
}

/** Columns of a `jetton_swap`. */
export const swapColumns = (swap: Swap): Columns => ({
  source: swap.incoming.source,
  source_secondary: swap.incoming.source_jetton_wallet,
  destination: swap.outgoing.destination,
  destination_secondary: swap.outgoing.destination_jetton_wallet,
  asset: swap.asset,
  asset2: swap.asset2,
  jetton_swap_data: {
    dex: swap.dex,
    sender: swap.sender,
    dex_incoming_transfer: swap.incoming,
    dex_outgoing_transfer: swap.outgoing,
    peer_swaps: swap.hops,
    min_out_amount: swap.minOut ?? null,
  },
})

/** A payment by a pool. */
export interface PoolPayment {
  readonly ok: boolean
  readonly read: () => AssetAmount
}

/**
 * One entry per pool of a route. A later payment that failed returned its input and is omitted; if the first
 * one failed, nothing moved.
 */
export function hopsOf(payments: readonly PoolPayment[], incoming: DexTransfer): PeerSwap[] {
  const [first, ...others] = payments
  if (!first || others.length === 0) return []
  let given: AssetAmount = incoming
  return [first, ...(first.ok ? others.filter(({ ok }) => ok) : [])].map(({ read }) => {
    const taken = read()
    const hop = {
      asset_in: given.asset,
      amount_in: given.amount,
      asset_out: taken.asset,
      amount_out: taken.amount,
    }
    given = taken
    return hop
  })
}

/** A jetton transfer as one side of a swap; pTON is TON. */
export const sideOf = (transfer: JettonTransfer): DexTransfer => ({
  amount: transfer.amount,
  asset: withoutPton(transfer.asset),
  source: transfer.sender,
  destination: transfer.receiver,
  source_jetton_wallet: transfer.senderWallet,
  destination_jetton_wallet: transfer.receiverWallet,
})

/** Details of a `dex_deposit_liquidity`; null: not known. */
export const depositData = (dex: string, data: Partial<DexDepositData>): DexDepositData => ({
  dex,
  amount1: null,
  amount2: null,
  asset1: null,
  asset2: null,
  user_jetton_wallet_1: null,
  user_jetton_wallet_2: null,
  lp_tokens_minted: null,
  target_asset_1: null,
  target_asset_2: null,
  target_amount_1: null,
  target_amount_2: null,
  vault_excesses: [],
  tick_lower: null,
  tick_upper: null,
  nft_index: null,
  nft_address: null,
  ...data,
})

/** One of the two assets returned by a withdrawal. */
export interface Payout {
  readonly amount: bigint | null
  readonly asset: Address | null
  readonly userWallet: Address | null
  readonly dexWallet: Address | null
  readonly dexJettonWallet: Address | null
}

/** Details of a `dex_withdraw_liquidity`, with the payouts as the client numbers them; null: not known. */
export const withdrawData = (
  dex: string,
  [first, second]: readonly [Payout | undefined, Payout | undefined],
  rest: Partial<DexWithdrawData>,
): DexWithdrawData => ({
  dex,
  amount1: first?.amount ?? null,
  amount2: second?.amount ?? null,
  asset1_out: first?.asset ?? null,
  asset2_out: second?.asset ?? null,
  user_jetton_wallet_1: first?.userWallet ?? null,
  user_jetton_wallet_2: second?.userWallet ?? null,
  dex_jetton_wallet_1: first?.dexJettonWallet ?? null,
  dex_jetton_wallet_2: second?.dexJettonWallet ?? null,
  lp_tokens_burnt: null,
  dex_wallet_1: first?.dexWallet ?? null,
  dex_wallet_2: second?.dexWallet ?? null,
  burned_nft_index: null,
  burned_nft_address: null,
  tick_lower: null,
  tick_upper: null,
  is_refund: false,
  ...rest,
})

/** Amount of pTON's `ton_transfer`. */
export const ptonAmount = (block: Block): bigint => fieldsOf(block, PTON_BODIES.tonTransfer).ton_amount

/** Payload of pTON's `ton_transfer`; undefined when there is none. */
export const ptonPayload = (block: Block): Payload | undefined =>
  attempt(() => {
    const { forward_payload } = fieldsOf(block, PTON_BODIES.tonTransferPayload)
    return forward_payload && new Payload(forward_payload)
  })

/** The call by which a pTON wallet hands over the TON, below a transfer. */
export const ptonCallBelow = (block: Block): Block | undefined =>
  block.next.find(({ opcode }) => opcode === PTON.tonTransfer)

/** A transfer out of a DEX; TON when pTON was unwrapped on the way. */
export function payoutOf(block: Block): Payout {
  const transfer = transferOf(block)
  const unwrapped = ptonCallBelow(block)
  return {
    amount: unwrapped ? ptonAmount(unwrapped) : transfer.amount,
    asset: unwrapped ? null : withoutPton(transfer.asset),
    userWallet: transfer.receiverWallet,
    dexWallet: transfer.sender,
    dexJettonWallet: transfer.senderWallet,
  }
}

/** Removes repeated blocks. */
export const unique = (blocks: readonly (Block | undefined)[]): Block[] => [
  ...new Set(blocks.filter((block): block is Block => block !== undefined)),
]
