import type { Cell } from '@shardwalk/cells'
import { walletState } from '@shardwalk/contracts'

/** What `getWalletInformation` adds for a wallet that it knows. */
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

/** Undefined: not a wallet, or one whose data cannot be read. */
export function walletFields({ code, data }: Contract): WalletFields | undefined {
  const wallet = code && data && walletState(code.hash(), data)
  if (wallet?.seqno === undefined) return undefined
  const { walletType, seqno, walletId, isSignatureAllowed } = wallet
  // TON Center shows both numbers signed, and reads v5 beta with the layout of v5 r1: the id that it shows is
  // the first 32 of 80 bits, the flag is the opposite of what it means.
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
