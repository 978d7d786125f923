import { type Cell, forEachLeaf, loadDictRoot, type Slice, sliceToCell } from '@shardwalk/cells'
import { DecodeError, type ExtraCurrencies } from '@shardwalk/model'
import { loadExtraCurrenciesDict } from '@shardwalk/tlb'
import { readable } from '../bodies/readable.ts'
import { loadInternalHead, skipStateInit } from '../bodies/relaxed-message.ts'
import { TELEGRAM_WALLET, WALLET } from '../opcodes/wallets.ts'
import { readTelegramRequest } from './telegram-wallet.ts'

/** What a wallet was asked to send. */
export interface RequestedMessage {
  readonly cell: Cell
  /** Raw form; null for a destination without account. */
  readonly destination: string | null
  /** Nanotons. */
  readonly value: bigint
  /** Undefined: none, or not readable. */
  readonly extraCurrencies: ExtraCurrencies | undefined
  readonly body: Cell
}

/** More than any wallet sends at once: bounds a list that a damaged body may pretend to hold. */
const MAX_MESSAGES = 255

/**
 * Messages that the body of an external message asks a wallet to send, in list order; undefined in the list
 * for one that goes out of the chain. Undefined: the body is that of no known wallet. `open`: a fresh reader.
 */
export function readRequestedMessages(
  open: () => Slice,
): readonly (RequestedMessage | undefined)[] | undefined {
  for (const read of [readTelegram, readSimple, readV5, readHighloadV2, readHighloadV3, readPreprocessed]) {
    const found = readable(() => read(open()).map(readMessage))
    if (found) return found
  }
  return undefined
}

/** Bits between signature and modes: v1, v2, v3, v4. */
const HEAD_BITS: readonly number[] = [32, 64, 96, 104]

/**
 * Wallets v1 to v4. Source: ton-blockchain/ton, crypto/smartcont/wallet.fif, wallet-v2.fif and wallet-v3.fif;
 * ton-blockchain/wallet-contract. After `signature:512` v1 has `seqno:32`, v2 `seqno:32 valid_until:32`, v3
 * `subwallet:32 valid_until:32 seqno:32`, and v4 `op:8` too; then `mode:8 ^message` per message.
 */
function readSimple(body: Slice): Cell[] {
  body.skip(512)
  if (!HEAD_BITS.includes(body.remainingBits - 8 * body.remainingRefs))
    throw new DecodeError('wallet.body', 'modes and messages do not pair')
  const cells: Cell[] = []
  while (body.remainingRefs > 0) cells.push(body.loadRefCell())
  return cells
}

/**
 * Telegram wallet. Source: ton-blockchain/tg-wallet-contract, contracts/WalletTg/messages.tolk. One message,
 * or `length:8 (Maybe ^chunk)`: each chunk is `(Maybe ^chunk)`, then `mode:8 ^message` for each of its items.
 */
function readTelegram(body: Slice): Cell[] {
  const request = readTelegramRequest(body)
  if (!request) throw new DecodeError('wallet.body', 'not a request to a Telegram wallet')
  const { opcode, content } = request
  if (opcode === TELEGRAM_WALLET.sendOneExternal) return [content.loadRefCell()]
  if (opcode !== TELEGRAM_WALLET.sendBulkExternal) return []
  const cells: Cell[] = []
  const most = content.loadUint(8)
  for (let chunk = content.loadMaybeRefSlice(); chunk; ) {
    const items: Slice = chunk
    chunk = items.loadMaybeRefSlice()
    while (items.remainingRefs > 0 && cells.length < most) cells.push(items.loadRefCell())
  }
  return cells
}

/**
 * Wallet v5. Source: ton-blockchain/wallet-contract-v5, types.tlb.
 * `opcode:32 wallet_id:32 valid_until:32 seqno:32 actions:(Maybe ^OutList)`.
 */
function readV5(body: Slice): Cell[] {
  if (body.loadUint(32) !== WALLET.signedExternalV5) throw new DecodeError('wallet.body', 'not signed')
  const list = body.skip(96).loadMaybeRefSlice()
  return list ? readOutList(list) : []
}

/** block.tlb `OutList`, from its last entry on: `^prev`, then `^message`; an empty cell ends it. */
function readOutList(list: Slice): Cell[] {
  const cells: Cell[] = []
  for (let entry = list; entry.remainingRefs > 0 && cells.length < MAX_MESSAGES; ) {
    const previous = entry.loadRefSlice()
    cells.push(entry.loadRefCell())
    entry = previous
  }
  return cells
}

/**
 * Highload v2. Source: ton-blockchain/ton, crypto/smartcont/highload-wallet-v2-code.fc.
 * `signature:512 subwallet:32 query_id:64 messages:(HashmapE 16 [mode:8 ^message])`.
 */
function readHighloadV2(body: Slice): Cell[] {
  const root = loadDictRoot(body.skip(512 + 96))
  body.expectEnd('wallet.body')
  const cells: Cell[] = []
  const visit = (entry: Slice) => {
    cells.push(entry.skip(8).loadRefCell())
  }
  forEachLeaf(root, 16, visit, { most: MAX_MESSAGES })
  return cells
}

/**
 * Highload v3. Source: ton-blockchain/highload-wallet-contract-v3, contracts/scheme.tlb.
 * `signature:512 ^[subwallet:32 ^message mode:8 ...]`; a batch is a message of the wallet to itself with
 * `0xae42e5a4 query_id:64 ^OutList`.
 */
function readHighloadV3(body: Slice): Cell[] {
  const order = body.skip(512).loadRefSlice()
  body.expectEnd('wallet.body')
  const cell = order.skip(32).loadRefCell()
  const batch = readable(() => {
    const inner = readMessage(cell)?.body.slice()
    return inner?.loadUint(32) === WALLET.internalActionsHighloadV3
      ? readOutList(inner.skip(64).loadRefSlice())
      : undefined
  })
  return batch ?? [cell]
}

/**
 * Preprocessed wallet. Source: pyAndr3w/ton-preprocessed-wallet-v2, README.md.
 * `signature:512 ^[valid_until:64 seqno:16 ^OutList]`.
 */
function readPreprocessed(body: Slice): Cell[] {
  const order = body.skip(512).loadRefSlice()
  body.expectEnd('wallet.body')
  const list = order.skip(64 + 16).loadRefSlice()
  order.expectEnd('wallet.order')
  return readOutList(list)
}

/** block.tlb `Message` with `int_msg_info$0`; undefined for an outgoing external message. */
function readMessage(cell: Cell): RequestedMessage | undefined {
  if (cell.bits === 0) throw new DecodeError('wallet.out_msg', 'empty')
  if (cell.slice().preloadBit()) return undefined
  const message = readInternal(cell, true) ?? readInternal(cell, false)
  if (!message) throw new DecodeError('wallet.out_msg', 'not a message')
  return message
}

/** Some wallets write the value without the bit for extra currencies. */
function readInternal(cell: Cell, withCurrencies: boolean): RequestedMessage | undefined {
  return readable(() => {
    const slice = cell.slice()
    const { destination, value } = loadInternalHead(slice)
    const extraCurrencies = withCurrencies ? loadCurrencies(slice) : undefined
    slice.loadCoins()
    slice.loadCoins()
    slice.skip(64 + 32)
    skipStateInit(slice)
    const body = slice.loadBit() ? slice.loadRefCell() : sliceToCell(slice)
    return { cell, destination, value, extraCurrencies, body }
  })
}

/** Whatever they are, the rest of the message can be read. */
function loadCurrencies(slice: Slice): ExtraCurrencies | undefined {
  const root = slice.loadMaybeRefCell()
  return root && readable(() => loadExtraCurrenciesDict(root.slice()))
}
