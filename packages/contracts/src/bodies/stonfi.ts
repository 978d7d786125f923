import type { Slice } from '@shardwalk/cells'
import { bodyFields, payloadFields, typeFields } from '../decoding/body-fields.ts'
import { STONFI_V2 } from '../opcodes/stonfi.ts'
import { loadEither } from './either.ts'
import { readable } from './readable.ts'

const PAID = {
  amount0_out: 'amount',
  token0_address: 'address',
  amount1_out: 'amount',
  token1_address: 'address',
} as const

const payToParams = typeFields('StonfiPayToParams', PAID)

/** STON.fi v1. Source: ston-fi/dex-core, contracts/router.fc and contracts/pool.fc. */
export const STONFI_V1_BODIES = {
  swap: bodyFields('stonfi_swap', {
    to_address: 'address',
    sender_address: 'address',
    jetton_amount: 'amount',
    addrs: { from_user: 'address' },
  }),
  /** Wallets alone: damage behind them does not matter. */
  swapWallets: bodyFields('stonfi_swap', { to_address: 'address', sender_address: 'address' }),
  /** One of the amounts is zero. Routers have always put the parameters into a reference. */
  payTo: bodyFields('stonfi_payment_request', {
    exit_code: 'number',
    params: (slice) => payToParams(slice.loadRefSlice()),
  }),
  swapPayload: payloadFields('stonfi_swap_forward_payload', {
    token_wallet: 'address',
    to_address: 'address',
  }),
  /** Wallet alone: damage behind it does not matter. */
  swapPayloadWallet: payloadFields('stonfi_swap_forward_payload', { token_wallet: 'address' }),
} as const

/** STON.fi v2. Source: ston-fi/dex-core-v2, contracts/router and contracts/pool; docs.ston.fi. */
export const STONFI_V2_BODIES = {
  payTo: bodyFields('stonfi_pay_to_v2', { exit_code: 'number', ...PAID }),
  provide: bodyFields('stonfi_provide_lp_v2', {
    from_user: 'address',
    left_amount: 'amount',
    right_amount: 'amount',
  }),
  swapPayload: payloadFields('stonfi_swap_v2_forward_payload', { token_wallet1: 'address' }),
} as const

/** pTON. Source: ston-fi/pton-contracts, docs/specs.tlb. */
export const PTON_BODIES = {
  tonTransfer: bodyFields('pton_ton_transfer', { ton_amount: 'amount' }),
  tonTransferPayload: bodyFields('pton_ton_transfer', { forward_payload: loadEither }),
} as const

const swapHead = bodyFields('stonfi_swap_v2', { right_amount: 'amount' })
const step = typeFields('DexPayload', { token_wallet1: 'address' })
const swapParams = typeFields('SwapBody', { custom_payload: (slice) => slice.loadMaybeRefSlice() })

/**
 * Wallets of the tokens that a swap order of v2 goes through: that of its own step, then those of the swaps
 * nested in the custom payload of each. Takes the body after its opcode.
 */
export function stonfiV2Route(order: Slice): (string | null)[] {
  const wallets: (string | null)[] = []
  swapHead(order)
  for (let next: Slice | undefined = order.loadRefSlice(); next; ) {
    const current: Slice = next
    const opcode = current.preloadUint(32)
    if (wallets.length > 0 && opcode !== STONFI_V2.swap && opcode !== STONFI_V2.crossSwap) break
    wallets.push(step(current).token_wallet1)
    next = readable(() => swapParams(current.loadRefSlice()).custom_payload)
  }
  return wallets
}
