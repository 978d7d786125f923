import type { Cell } from '@shardwalk/cells'
import { walletState } from '@shardwalk/contracts'

/** Members that `getWalletInformation` adds for a known wallet. */
export interface WalletFields {
  readonly wallet_type: string
  readonly seqno: number
  readonly wallet_id?: number
  readonly is_signature_allowed?: boolean
}

interface Contract {
  readonly code?: Cell | undefined
  readonly data?: Cell | undefined
}

/** Undefined for an account that is not a wallet or whose data cannot be read. */
export function walletFields({ code, data }: Contract): WalletFields | undefined {
  const wallet = code && data && walletState(code.hash(), data)
  if (wallet?.seqno === undefined) return undefined
  const { walletType, seqno, walletId, isSignatureAllowed } = wallet
  // TON Center prints both numbers signed, and reads v5 beta with the layout of v5 r1: its id is the first 32
  // of 80 bits, and its flag is inverted.
  const isBeta = walletType === 'wallet v5 beta'
  return {
    wallet_type: walletType,
    seqno: seqno | 0,
    ...(walletId !== undefined && {
      wallet_id: Number(BigInt.asIntN(32, isBeta ? walletId >> 48n : walletId)),
    }),
    ...(isSignatureAllowed !== undefined && { is_signature_allowed: isSignatureAllowed !== isBeta }),
  }
}
