import type { Cell } from '@shardwalk/cells'
import { type BodySlice, NO_FIT } from './body-slice.ts'
import { attempt } from './compile.ts'
import { types } from './constructors.ts'
import type { DecodeContext } from './context.ts'
import type { Json, JsonObject } from './json.ts'

/**
 * Length of an action list: the end of the list has no reference, every entry references the previous one.
 */
function chainLength(start: Cell | undefined): number {
  let length = 0
  for (let cell = start; cell && cell.refs.length > 0; cell = cell.refs[0]) length++
  return length
}

/**
 * Bits before `out_actions` in a wallet v5 request: opcode, then wallet_id, valid_until and msg_seqno, or
 * query_id.
 */
const W5_SIGNED_HEAD = 32 + 32 + 32 + 32
const W5_EXTENSION_HEAD = 32 + 64

/**
 * Reads a wallet v5 request. Its lists carry no length, so the references are counted. Source: wallet v5
 * `types.tlb`.
 */
export function readW5Request(cell: Cell, name: string, context: DecodeContext): JsonObject {
  const slice = context.open(cell)
  slice.skip(name === 'w5_extension_action_request' ? W5_EXTENSION_HEAD : W5_SIGNED_HEAD)
  const outActions = slice.bit() ? chainLength(slice.ref()) : 0
  // The first extended action is in this cell, each further one behind a reference.
  const extended = slice.bit() && slice.refsLeft > 0 ? 1 + chainLength(slice.ref()) : 0
  return types.reader('W5MsgBody', [outActions, extended])(context.open(cell), context)
}

/** Reads the message of a highload v3 wallet to itself: query id and a list of actions in a reference. */
export function readHighloadV3Request(cell: Cell, context: DecodeContext): JsonObject {
  return types.reader('HighloadV3InternalRequest', [chainLength(cell.refs[0])])(context.open(cell), context)
}

/**
 * Reads a request to a Telegram wallet. Source: ton-blockchain/tg-wallet-contract, messages.tolk. A list that
 * is not of the length it states is printed as the cell that it is.
 */
function readTelegramRequest(cell: Cell, context: DecodeContext): JsonObject {
  const body = readWhole(cell, context, 'TgWalletMsgBody', [])
  const { first_chunk, ...head } = body['request'] as JsonObject
  if (first_chunk === undefined) return body
  const messages = attempt(() => bulkMessages(cell, context))
  return messages ? { ...body, request: { ...head, messages } } : body
}

/** Bits before the length of the list: signature, opcode, subwallet_id, valid_until, seqno. */
const BULK_HEAD = 512 + 32 * 4

/** A Tolk array: each chunk may refer to the next one, before its own items. */
function bulkMessages(cell: Cell, context: DecodeContext): readonly Json[] {
  const list = context.open(cell)
  list.skip(BULK_HEAD)
  const length = list.uint(8)
  const read = types.reader('TgWalletMessageToSend')
  const messages: Json[] = []
  for (let chunk = list.bit() ? list.ref() : undefined; chunk; ) {
    const items = context.open(chunk)
    chunk = items.bit() ? items.ref() : undefined
    while (items.refsLeft > 0 && messages.length < length) messages.push(read(items, context))
    if (items.bitsLeft + items.refsLeft > 0) throw NO_FIT
  }
  if (messages.length !== length) throw NO_FIT
  return messages
}

interface SignedLayout {
  readonly type: string
  /** Arguments for the parameters of the type; undefined when the body cannot have this layout. */
  readonly args: (cell: Cell) => readonly number[] | undefined
}

const byReferences = (cell: Cell): readonly number[] => [cell.refs.length]
const none = (): readonly number[] => []

/**
 * Bodies of external messages to wallets before v5 start with a signature instead of an opcode, so every
 * layout is tried.
 */
const SIGNED_LAYOUTS: readonly SignedLayout[] = [
  {
    type: 'PreprocessedWalletV2MsgBody',
    args: (cell) => {
      const actions = chainLength(cell.refs[0]?.refs[0])
      return actions > 0 ? [actions] : undefined
    },
  },
  { type: 'HighloadV3MsgBody', args: none },
  { type: 'HighloadV2MsgBody', args: none },
  { type: 'HighloadV1MsgBody', args: none },
  { type: 'W4MsgBody', args: byReferences },
  { type: 'W3MsgBody', args: byReferences },
  { type: 'W1W2MsgBody', args: byReferences },
]

/** Reads a signed wallet body. It is recognised only if it uses every bit and reference of its cell. */
export function readSignedBody(cell: Cell, context: DecodeContext): JsonObject | undefined {
  const telegram = attempt(() => readTelegramRequest(cell, context))
  if (telegram) return telegram
  for (const { type, args } of SIGNED_LAYOUTS) {
    const parameters = args(cell)
    const body = parameters && attempt(() => readWhole(cell, context, type, parameters))
    if (body) return body
  }
  return undefined
}

function readWhole(cell: Cell, context: DecodeContext, type: string, args: readonly number[]): JsonObject {
  const slice: BodySlice = context.open(cell)
  const body = types.reader(type, args)(slice, context)
  if (slice.bitsLeft > 0 || slice.refsLeft > 0) throw NO_FIT
  return body
}
