import { Builder, type Cell, loadStdAddress, type Slice } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import { JETTON, NFT } from '../opcodes/tokens.ts'

/** `payload`: the referenced cell, or the rest of the body as a cell of its own; undefined when empty. */
interface Forward {
  readonly forwardPayload: Cell | undefined
  /** The body ends before the selector bit, or selects a missing reference; some wallets accept that. */
  readonly isIrregular: boolean
}

/**
 * Sent by the owner to their jetton wallet. Amounts in the smallest units of the jetton and of TON; an
 * address is undefined unless it is `addr_std`.
 */
export interface JettonTransfer extends Forward {
  readonly queryId: bigint
  readonly amount: bigint
  readonly destination: RawAddress | undefined
  readonly responseDestination: RawAddress | undefined
  readonly customPayload: Cell | undefined
  readonly forwardTonAmount: bigint
}

/** Sent by a jetton wallet, or the minter, to a jetton wallet. */
export interface JettonInternalTransfer extends Forward {
  readonly queryId: bigint
  readonly amount: bigint
  readonly from: RawAddress | undefined
  readonly responseAddress: RawAddress | undefined
  readonly forwardTonAmount: bigint
}

/** Sent by a jetton wallet to its owner. */
export interface JettonNotification extends Forward {
  readonly queryId: bigint
  readonly amount: bigint
  readonly sender: RawAddress | undefined
}

/** Sent by the owner to a jetton wallet. `amount`: smallest unit of the jetton. */
export interface JettonBurn {
  readonly queryId: bigint
  readonly amount: bigint
  readonly responseDestination: RawAddress | undefined
  readonly customPayload: Cell | undefined
}

/** Sent by the owner to an item. `forwardAmount`: nanotons. */
export interface NftTransfer extends Forward {
  readonly queryId: bigint
  readonly newOwner: RawAddress | undefined
  readonly responseDestination: RawAddress | undefined
  readonly customPayload: Cell | undefined
  readonly forwardAmount: bigint
}

/**
 * Each loader takes the body after its opcode, throws DecodeError when it ends too early, and ignores what
 * follows the last field. `loadPayload` reads the forward payload, `Either Cell ^Cell`, in the form that its
 * caller needs. Source: TEP-74 `transfer#0f8a7ea5 query_id:uint64 amount:(VarUInteger 16)
 * destination:MsgAddress response_destination:MsgAddress custom_payload:(Maybe ^Cell)
 * forward_ton_amount:(VarUInteger 16) forward_payload:(Either Cell ^Cell)`.
 */
export const loadJettonTransfer = <P>(s: Slice, loadPayload: PayloadLoader<P>) => ({
  queryId: s.loadUintBig(64),
  amount: s.loadCoins(),
  destination: loadStdAddress(s),
  responseDestination: loadStdAddress(s),
  customPayload: s.loadMaybeRefCell(),
  forwardTonAmount: s.loadCoins(),
  payload: loadPayload(s),
})

/** TEP-74 `internal_transfer#178d4519` up to its forward payload, which few callers need. */
export const loadJettonInternalTransfer = (s: Slice) => ({
  queryId: s.loadUintBig(64),
  amount: s.loadCoins(),
  from: loadStdAddress(s),
  responseAddress: loadStdAddress(s),
  forwardTonAmount: s.loadCoins(),
})

/** TEP-74 `transfer_notification#7362d09c`. */
export const loadJettonNotification = <P>(s: Slice, loadPayload: PayloadLoader<P>) => ({
  queryId: s.loadUintBig(64),
  amount: s.loadCoins(),
  sender: loadStdAddress(s),
  payload: loadPayload(s),
})

/** TEP-62 `transfer#5fcc3d14`. */
export const loadNftTransfer = <P>(s: Slice, loadPayload: PayloadLoader<P>) => ({
  queryId: s.loadUintBig(64),
  newOwner: loadStdAddress(s),
  responseDestination: loadStdAddress(s),
  customPayload: s.loadMaybeRefCell(),
  forwardAmount: s.loadCoins(),
  payload: loadPayload(s),
})

/** Reads a forward payload, `Either Cell ^Cell`, where the slice stands. */
export type PayloadLoader<P> = (slice: Slice) => P

/**
 * Each reader takes the body including its opcode; undefined for another message or one that ends too early.
 */
export const readJettonTransfer = reader(JETTON.transfer, (s): JettonTransfer => {
  const { payload, ...fields } = loadJettonTransfer(s, loadForward)
  return { ...fields, ...payload }
})

/** TEP-74 `internal_transfer#178d4519`. */
export const readJettonInternalTransfer = reader(
  JETTON.internalTransfer,
  (s): JettonInternalTransfer => ({ ...loadJettonInternalTransfer(s), ...loadForward(s) }),
)

/** TEP-74 `transfer_notification#7362d09c`. */
export const readJettonNotification = reader(JETTON.transferNotification, (s): JettonNotification => {
  const { payload, ...fields } = loadJettonNotification(s, loadForward)
  return { ...fields, ...payload }
})

/** TEP-74 `burn#595f07bc`. */
export const readJettonBurn = reader(
  JETTON.burn,
  (s): JettonBurn => ({
    queryId: s.loadUintBig(64),
    amount: s.loadCoins(),
    responseDestination: loadStdAddress(s),
    // Wallets do not check the rest of a burn: bodies that end here occur on the chain and succeed.
    customPayload: s.remainingBits > 0 ? s.loadMaybeRefCell() : undefined,
  }),
)

/** TEP-62 `transfer#5fcc3d14`. */
export const readNftTransfer = reader(NFT.transfer, (s): NftTransfer => {
  const { payload, ...fields } = loadNftTransfer(s, loadForward)
  return { ...fields, ...payload }
})

function reader<T>(opcode: number, read: (slice: Slice) => T): (body: Slice) => T | undefined {
  return (body) => {
    if (body.remainingBits < 32 || body.preloadUint(32) !== opcode) return undefined
    try {
      return read(body.clone().skip(32))
    } catch (error) {
      if (error instanceof DecodeError) return undefined
      throw error
    }
  }
}

/** `Either Cell ^Cell`. */
function loadForward(slice: Slice): Forward {
  if (slice.remainingBits === 0) return { forwardPayload: undefined, isIrregular: true }
  const inReference = slice.loadBit()
  if (inReference && slice.remainingRefs > 0)
    return { forwardPayload: slice.loadRefCell(), isIrregular: false }
  const forwardPayload = slice.isEmpty ? undefined : new Builder().storeSlice(slice).endCell()
  return { forwardPayload, isIrregular: inReference }
}
