import type { Cell } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { codeHashOf } from '../interfaces/code-hashes.ts'

/** ed25519 signature; wallet v5 has it at the end. */
const SIGNATURE_BITS = 512

/**
 * Bits before `valid_until:uint32` in the body of an external message. Sources: wallet-contract (v2: seqno;
 * v3, v4: wallet id), wallet-contract-v5 (`sign` op and wallet id, which has 80 bits in the beta),
 * tg-wallet-contract (opcode and subwallet id).
 */
const OFFSETS: Readonly<Record<string, number>> = {
  [codeHashOf('wallet_v2r1')]: SIGNATURE_BITS + 32,
  [codeHashOf('wallet_v2r2')]: SIGNATURE_BITS + 32,
  [codeHashOf('wallet_v3r1')]: SIGNATURE_BITS + 32,
  [codeHashOf('wallet_v3r2')]: SIGNATURE_BITS + 32,
  [codeHashOf('wallet_v4r1')]: SIGNATURE_BITS + 32,
  [codeHashOf('wallet_v4r2')]: SIGNATURE_BITS + 32,
  [codeHashOf('wallet_v5_beta')]: 32 + 80,
  [codeHashOf('wallet_v5r1')]: 32 + 32,
  [codeHashOf('tg_wallet')]: SIGNATURE_BITS + 32 + 32,
}

/**
 * Until when a wallet accepts the message with this body, Unix seconds. Undefined: the code is not that of a
 * wallet with such a limit.
 */
export function walletValidUntil(codeHash: Buffer, body: Cell): number | undefined {
  const offset = OFFSETS[codeHash.toString('base64')]
  if (offset === undefined) return undefined
  try {
    return body.slice().skip(offset).loadUint(32)
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}
