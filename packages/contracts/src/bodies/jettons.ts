import { bodyFields } from '../decoding/body-fields.ts'

/**
 * Single fields of token messages, for readers that want no more. Source: TEP-74, TEP-89;
 * ton-blockchain/stablecoin-contract, contracts/op-codes.fc. Whole messages: ./token-messages.ts.
 */
export const JETTON_BODIES = {
  destination: bodyFields('jetton_transfer', { destination: 'address' }),
  amount: bodyFields('jetton_internal_transfer', { amount: 'amount' }),
  burn: bodyFields('jetton_burn', { amount: 'amount' }),
  mint: bodyFields('jetton_mint', { to_address: 'address', ton_amount: 'amount' }),
  minterMint: bodyFields('minter_jetton_mint', {
    to_address: 'address',
    ton_amount: 'amount',
    master_msg: 'cell',
  }),
} as const
