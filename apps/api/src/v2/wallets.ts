import { walletState } from '@shardwalk/contracts'
import type { AccountSnapshot } from '@shardwalk/node-access'

/** What `getWalletInformation` adds for a wallet that it knows. */
export interface WalletFields {
  readonly wallet_type: string
  readonly seqno: number
  readonly wallet_id?: number
  readonly is_signature_allowed?: boolean
}

/** Undefined: not a wallet, or one whose data cannot be read. */
export function walletFields({ code, data }: AccountSnapshot): WalletFields | undefined {
  const state = code && data && walletState(code.hash(), data)
  if (state?.seqno === undefined) return undefined
  const { walletType, seqno, walletId, isSignatureAllowed } = state
  const isBeta = walletType === 'wallet v5 beta'
  return {
    wallet_type: walletType,
    // Why signed: the current service reads both numbers so, and clients compare.
    seqno: seqno | 0,
    ...(walletId === undefined ? {} : { wallet_id: shownId(walletId, isBeta) }),
    // The flag of the beta has the opposite sense, and clients see it as it stands.
    ...(isSignatureAllowed === undefined ? {} : { is_signature_allowed: isSignatureAllowed !== isBeta }),
  }
}

/** Of the 80 bits of a v5 beta clients see the first 32, the network's global id. */
const shownId = (id: bigint, isBeta: boolean): number => Number(BigInt.asIntN(32, isBeta ? id >> 48n : id))
