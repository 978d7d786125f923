import { Builder, type Cell, loadMsgAddress, type Slice } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'

/** First 32 bits of token messages. Source: TEP-62, TEP-74. */
export const TOKEN_OPCODE = {
  jettonTransfer: 0x0f8a7ea5,
  jettonInternalTransfer: 0x178d4519,
  jettonNotification: 0x7362d09c,
  jettonBurn: 0x595f07bc,
  jettonBurnNotification: 0x7bdd97de,
  excesses: 0xd53276db,
  nftTransfer: 0x5fcc3d14,
  nftOwnershipAssigned: 0x05138d91,
} as const

/** `payload`: the cell in a reference, or what stands in line as a cell of its own; undefined when empty. */
interface Forward {
  readonly forwardPayload: Cell | undefined
  /** The body ends before the selector bit, or selects a reference that is not there; some wallets accept that. */
  readonly isIrregular: boolean
}

/** Owner to own jetton wallet. Amounts in the jetton's and in TON's smallest units; an address is undefined when it is not `addr_std`. */
export interface JettonTransfer extends Forward {
  readonly queryId: bigint
  readonly amount: bigint
  readonly destination: RawAddress | undefined
  readonly responseDestination: RawAddress | undefined
  readonly customPayload: Cell | undefined
  readonly forwardTonAmount: bigint
}

/** Jetton wallet (or minter) to jetton wallet. */
export interface JettonInternalTransfer extends Forward {
  readonly queryId: bigint
  readonly amount: bigint
  readonly from: RawAddress | undefined
  readonly responseAddress: RawAddress | undefined
  readonly forwardTonAmount: bigint
}

/** Jetton wallet to its owner. */
export interface JettonNotification extends Forward {
  readonly queryId: bigint
  readonly amount: bigint
  readonly sender: RawAddress | undefined
}

export interface JettonBurn {
  readonly queryId: bigint
  readonly amount: bigint
  readonly responseDestination: RawAddress | undefined
  readonly customPayload: Cell | undefined
}

export interface JettonBurnNotification {
  readonly queryId: bigint
  readonly amount: bigint
  readonly sender: RawAddress | undefined
  readonly responseDestination: RawAddress | undefined
}

export interface NftTransfer extends Forward {
  readonly queryId: bigint
  readonly newOwner: RawAddress | undefined
  readonly responseDestination: RawAddress | undefined
  readonly customPayload: Cell | undefined
  readonly forwardAmount: bigint
}

export interface NftOwnershipAssigned extends Forward {
  readonly queryId: bigint
  readonly prevOwner: RawAddress | undefined
}

/** All readers take the body from its opcode on; undefined when it is another message or ends too early. Trailing data is ignored. */
export const readJettonTransfer = reader(
  TOKEN_OPCODE.jettonTransfer,
  (s): JettonTransfer => ({
    queryId: s.loadUintBig(64),
    amount: s.loadCoins(),
    destination: loadAddress(s),
    responseDestination: loadAddress(s),
    customPayload: s.loadMaybeRefCell(),
    forwardTonAmount: s.loadCoins(),
    ...loadForward(s),
  }),
)

export const readJettonInternalTransfer = reader(
  TOKEN_OPCODE.jettonInternalTransfer,
  (s): JettonInternalTransfer => ({
    queryId: s.loadUintBig(64),
    amount: s.loadCoins(),
    from: loadAddress(s),
    responseAddress: loadAddress(s),
    forwardTonAmount: s.loadCoins(),
    ...loadForward(s),
  }),
)

export const readJettonNotification = reader(
  TOKEN_OPCODE.jettonNotification,
  (s): JettonNotification => ({
    queryId: s.loadUintBig(64),
    amount: s.loadCoins(),
    sender: loadAddress(s),
    ...loadForward(s),
  }),
)

export const readJettonBurn = reader(
  TOKEN_OPCODE.jettonBurn,
  (s): JettonBurn => ({
    queryId: s.loadUintBig(64),
    amount: s.loadCoins(),
    responseDestination: loadAddress(s),
    // Wallets burn without looking further: bodies that end here are met, and succeed.
    customPayload: s.remainingBits > 0 ? s.loadMaybeRefCell() : undefined,
  }),
)

export const readJettonBurnNotification = reader(
  TOKEN_OPCODE.jettonBurnNotification,
  (s): JettonBurnNotification => ({
    queryId: s.loadUintBig(64),
    amount: s.loadCoins(),
    sender: loadAddress(s),
    responseDestination: loadAddress(s),
  }),
)

export const readNftTransfer = reader(
  TOKEN_OPCODE.nftTransfer,
  (s): NftTransfer => ({
    queryId: s.loadUintBig(64),
    newOwner: loadAddress(s),
    responseDestination: loadAddress(s),
    customPayload: s.loadMaybeRefCell(),
    forwardAmount: s.loadCoins(),
    ...loadForward(s),
  }),
)

export const readNftOwnershipAssigned = reader(
  TOKEN_OPCODE.nftOwnershipAssigned,
  (s): NftOwnershipAssigned => ({ queryId: s.loadUintBig(64), prevOwner: loadAddress(s), ...loadForward(s) }),
)

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

function loadAddress(slice: Slice): RawAddress | undefined {
  const address = loadMsgAddress(slice)
  return address.type === 'std' ? address.address : undefined
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
