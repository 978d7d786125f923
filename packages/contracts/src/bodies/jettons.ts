import type { Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { bodyFields } from '../decoding/body-fields.ts'
import { JETTON } from '../opcodes/tokens.ts'

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

/** Opcode of a message that came back. Source: ton-blockchain/ton, transaction.cpp, prepare_bounce_phase. */
const BOUNCED = 0xffffffff

/** Opcodes of messages that change the balance of a jetton wallet that accepts them. */
export const JETTON_MOVES: readonly number[] = [
  JETTON.transfer,
  JETTON.burn,
  JETTON.internalTransfer,
  BOUNCED,
]

/**
 * What a message adds to the balance of the jetton wallet that accepts it, in the jetton's smallest unit;
 * undefined if it is none of `JETTON_MOVES`. A wallet takes back what it sent when the message bounces.
 * Source: TEP-74; ton-blockchain/token-contract, ft/jetton-wallet.fc, on_bounce.
 */
export function jettonBalanceChange(body: Slice): bigint | undefined {
  try {
    const s = body.clone()
    let opcode = s.loadUint(32)
    const isBack = opcode === BOUNCED
    if (isBack) opcode = s.loadUint(32)
    s.skip(64)
    if (isBack)
      return opcode === JETTON.internalTransfer || opcode === JETTON.burnNotification
        ? s.loadCoins()
        : undefined
    if (opcode === JETTON.internalTransfer) return s.loadCoins()
    return opcode === JETTON.transfer || opcode === JETTON.burn ? -s.loadCoins() : undefined
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
