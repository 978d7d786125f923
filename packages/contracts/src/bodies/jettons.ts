import type { Slice } from '@shardwalk/cells'
import { bodyFields } from '../decoding/body-fields.ts'
import { BOUNCES, MESSAGE } from '../opcodes/message.ts'
import { JETTON } from '../opcodes/tokens.ts'
import { readable } from './readable.ts'

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

/** Opcodes of messages that change the balance of a jetton wallet that accepts them. */
export const JETTON_MOVES: readonly number[] = [
  JETTON.transfer,
  JETTON.burn,
  JETTON.internalTransfer,
  ...BOUNCES,
]

/**
 * What a message adds to the balance of the jetton wallet that accepts it, in the jetton's smallest unit;
 * undefined if it is none of `JETTON_MOVES`. A wallet takes back what it sent when the message bounces.
 * Source: TEP-74; ton-blockchain/token-contract, ft/jetton-wallet.fc, on_bounce; block.tlb
 * `new_bounce_body#fffffffe`.
 */
export function jettonBalanceChange(body: Slice): bigint | undefined {
  return readable(() => {
    const s = body.clone()
    const opcode = s.loadUint(32)
    if (opcode === MESSAGE.bounced) return takenBack(s)
    if (opcode === MESSAGE.newBounced) return takenBack(s.loadRefSlice())
    if (opcode === JETTON.internalTransfer) return s.skip(64).loadCoins()
    return opcode === JETTON.transfer || opcode === JETTON.burn ? -s.skip(64).loadCoins() : undefined
  })
}

/** `sent`: the beginning of the message that came back. */
function takenBack(sent: Slice): bigint | undefined {
  const opcode = sent.loadUint(32)
  return opcode === JETTON.internalTransfer || opcode === JETTON.burnNotification
    ? sent.skip(64).loadCoins()
    : undefined
}
