import { Cell, parseBoc, type Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { codeHashOf } from '../interfaces/code-hashes.ts'

/** Contents of the data of a standard wallet. `walletId` is absent in versions that have none. */
export interface WalletState {
  /** Name in the indexed API: `wallet v4 r2`, `tg-wallet`. */
  readonly walletType: string
  /** Absent, as are the fields below, when the data are unknown or do not have the wallet's layout. */
  readonly seqno?: number
  /** Unsigned; 32 bits, 80 bits in `wallet v5 beta`. */
  readonly walletId?: bigint
  /** Wallet v5 only. */
  readonly isSignatureAllowed?: boolean
}

type WalletNumbers = Omit<WalletState, 'walletType'>

const readSeqno = (data: Slice): WalletNumbers => ({ seqno: data.loadUint(32) })
const readSeqnoAndId = (data: Slice): WalletNumbers => ({
  seqno: data.loadUint(32),
  walletId: data.loadUintBig(32),
})

/** Source: wallet v5 r1 `storage`: is_signature_allowed:Bool seqno:uint32 wallet_id:uint32. */
const readV5 = (data: Slice): WalletNumbers => ({
  isSignatureAllowed: data.loadBit(),
  seqno: data.loadUint(32),
  walletId: data.loadUintBig(32),
})

/**
 * Source: wallet v5 beta: seqno:uint33 wallet_id:uint80 (network int32, workchain int8, version uint8,
 * subwallet uint32). The highest bit of seqno disables signatures. TON Center reads these data with the
 * layout of v5 r1 and therefore reports another id and flag.
 */
function readV5Beta(data: Slice): WalletNumbers {
  const isForbidden = data.loadBit()
  return { isSignatureAllowed: !isForbidden, seqno: data.loadUint(32), walletId: data.loadUintBig(80) }
}

/** Source: ton-blockchain/tg-wallet-contract, `Storage`: revision:uint8 seqno:uint32 subwalletId:uint32. */
const readTelegram = (data: Slice): WalletNumbers => readSeqnoAndId(data.skip(8))

/**
 * Code hash (base64), name and reader of the data, for the wallets whose addresses print in non-bounceable
 * form.
 */
const WALLETS: readonly (readonly [string, string, (data: Slice) => WalletNumbers])[] = [
  [codeHashOf('wallet_v1r1'), 'wallet v1 r1', readSeqno],
  [codeHashOf('wallet_v1r2'), 'wallet v1 r2', readSeqno],
  [codeHashOf('wallet_v1r3'), 'wallet v1 r3', readSeqno],
  [codeHashOf('wallet_v2r1'), 'wallet v2 r1', readSeqno],
  [codeHashOf('wallet_v2r2'), 'wallet v2 r2', readSeqno],
  [codeHashOf('wallet_v3r1'), 'wallet v3 r1', readSeqnoAndId],
  [codeHashOf('wallet_v3r2'), 'wallet v3 r2', readSeqnoAndId],
  [codeHashOf('wallet_v4r1'), 'wallet v4 r1', readSeqnoAndId],
  [codeHashOf('wallet_v4r2'), 'wallet v4 r2', readSeqnoAndId],
  [codeHashOf('wallet_v5_beta'), 'wallet v5 beta', readV5Beta],
  [codeHashOf('wallet_v5r1'), 'wallet v5 r1', readV5],
  [codeHashOf('tg_wallet'), 'tg-wallet', readTelegram],
]

const BY_HASH = new Map(WALLETS.map(([hash, walletType, read]) => [hash, { walletType, read }]))

/**
 * Version of the wallet and the numbers in its data; undefined when the code is not that of a wallet. `data`:
 * bag of cells or cell; null: only its hash is known.
 */
export function walletState(codeHash: Uint8Array, data: Uint8Array | Cell | null): WalletState | undefined {
  const wallet = BY_HASH.get(Buffer.from(codeHash).toString('base64'))
  if (!wallet) return undefined
  if (!data) return { walletType: wallet.walletType }
  try {
    const slice = data instanceof Cell ? data.slice() : rootSlice(data)
    return { walletType: wallet.walletType, ...wallet.read(slice) }
  } catch (error) {
    // The code alone makes it a wallet; with unreadable data only its numbers are unknown.
    if (error instanceof DecodeError) return { walletType: wallet.walletType }
    throw error
  }
}

/**
 * True for the wallet codes whose addresses print as `UQ…`: money sent to a wallet must not bounce.
 */
export const isNonBounceableWallet = (codeHash: Uint8Array): boolean =>
  BY_HASH.has(Buffer.from(codeHash).toString('base64'))

function rootSlice(boc: Uint8Array): Slice {
  const bag = parseBoc(boc)
  return bag.slice(bag.root)
}
