import { type Cell, forEachLeaf, loadDictRoot, type Slice, sliceToCell } from '@shardwalk/cells'
import { WALLET } from '@shardwalk/contracts'
import { DecodeError } from '@shardwalk/model'
import { attempt, loadAddress } from './body.ts'
import { EventNode } from './core/node.ts'

/** What a wallet was asked to send. */
interface RequestedMessage {
  readonly cell: Cell
  readonly destination: string | null
  readonly value: bigint
  readonly body: Cell
}

/** More than any wallet sends at once: bounds a list that a damaged body may pretend to hold. */
const MAX_MESSAGES = 255

/**
 * Ghosts of the internal messages that an external message asked a wallet for, below its node. Empty: the
 * body is not that of a wallet, or nothing internal was asked for.
 */
export function requestedByWallet(external: EventNode): EventNode[] {
  const requested = readRequest(() => external.body()) ?? []
  return requested.flatMap((message, index) => (message ? [ghost(external, message, index)] : []))
}

/** Messages in list order; undefined in the list for a message that is not internal. */
function readRequest(open: () => Slice): readonly (RequestedMessage | undefined)[] | undefined {
  for (const read of [readSimple, readV5, readHighloadV2, readHighloadV3]) {
    const found = attempt(() => read(open()).map(readMessage))
    if (found) return found
  }
  return undefined
}

/**
 * Wallets v3 and v4: `signature:512 subwallet:32 valid_until:32 seqno:32`, v4 `op:8`, then `mode:8 ^message`
 * per message.
 */
function readSimple(body: Slice): Cell[] {
  body.skip(512 + 96)
  const extra = body.remainingBits - 8 * body.remainingRefs
  if (extra !== 0 && extra !== 8) throw new DecodeError('wallet.body', 'modes and messages do not pair')
  const cells: Cell[] = []
  while (body.remainingRefs > 0) cells.push(body.loadRefCell())
  return cells
}

/** Wallet v5: `opcode:32 wallet_id:32 valid_until:32 seqno:32 actions:(Maybe ^OutList)`. */
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

/** Highload v2: `signature:512 subwallet:32 query_id:64 messages:(HashmapE 16 [mode:8 ^message])`. */
function readHighloadV2(body: Slice): Cell[] {
  const root = loadDictRoot(body.skip(512 + 96))
  body.expectEnd('wallet.body')
  const cells: Cell[] = []
  forEachLeaf(root, 16, (entry) => {
    cells.push(entry.skip(8).loadRefCell())
  })
  return cells
}

/**
 * Highload v3: `signature:512 ^[subwallet:32 ^message mode:8 ...]`; a batch is a message of the wallet to
 * itself with `0xae42e5a4 query_id:64 ^OutList`.
 */
function readHighloadV3(body: Slice): Cell[] {
  const order = body.skip(512).loadRefSlice()
  body.expectEnd('wallet.body')
  const cell = order.skip(32).loadRefCell()
  const batch = attempt(() => {
    const inner = readMessage(cell)?.body.slice()
    return inner?.loadUint(32) === WALLET.internalActionsHighloadV3
      ? readOutList(inner.skip(64).loadRefSlice())
      : undefined
  })
  return batch ?? [cell]
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
  return attempt(() => {
    const slice = cell.slice().skip(4)
    loadAddress(slice)
    const destination = loadAddress(slice)
    const value = slice.loadCoins()
    if (withCurrencies && slice.loadBit()) slice.skipRefs(1)
    slice.loadCoins()
    slice.loadCoins()
    slice.skip(64 + 32)
    if (slice.loadBit()) skipStateInit(slice)
    const body = slice.loadBit() ? slice.loadRefCell() : sliceToCell(slice)
    return { cell, destination, value, body }
  })
}

/** `Either StateInit ^StateInit`: split_depth, special, code, data, library. */
function skipStateInit(slice: Slice): void {
  if (slice.loadBit()) {
    slice.skipRefs(1)
    return
  }
  if (slice.loadBit()) slice.skip(5)
  if (slice.loadBit()) slice.skip(2)
  for (let i = 0; i < 3; i++) if (slice.loadBit()) slice.skipRefs(1)
}

/**
 * The name of a message that never existed: base64 of (base64 of the message cell's hash, then the index).
 */
function ghost(
  external: EventNode,
  { cell, destination, value, body }: RequestedMessage,
  index: number,
): EventNode {
  const { transaction } = external
  const hash = Buffer.from(cell.hash().toString('base64') + index).toString('base64')
  const opcode = body.bits >= 32 ? body.slice().preloadUint(32) : null
  const node = new EventNode(
    'ghost',
    {
      hash,
      source: transaction.account,
      destination,
      value,
      createdLt: null,
      createdAt: null,
      opcode,
      body: null,
    },
    transaction,
    () => body.slice(),
  )
  node.parent = external
  external.children.push(node)
  return node
}
