import type { Cell } from '@shardwalk/cells'
import { type BodySlice, NO_FIT } from './body-slice.ts'
import { attempt } from './compile.ts'
import { types } from './constructors.ts'
import type { DecodeContext } from './context.ts'
import type { JsonObject } from './json.ts'

/** Length of an action list: its empty end holds no reference, every entry points to the one before it. */
function chainLength(start: Cell | undefined): number {
  let length = 0
  for (let cell = start; cell && cell.refs.length > 0; cell = cell.refs[0]) length++
  return length
}

/**
 * Bits before `out_actions` in a W5 request: opcode, then wallet_id, valid_until and msg_seqno, or query_id.
 */
const W5_SIGNED_HEAD = 32 + 32 + 32 + 32
const W5_EXTENSION_HEAD = 32 + 64

/**
 * Wallet v5 request. Lists carry no length: it is counted by walking the references. Source: wallet v5
 * `types.tlb`.
 */
export function readW5Request(cell: Cell, name: string, context: DecodeContext): JsonObject {
  const slice = context.open(cell)
  slice.skip(name === 'w5_extension_action_request' ? W5_EXTENSION_HEAD : W5_SIGNED_HEAD)
  const outActions = slice.bit() ? chainLength(slice.ref()) : 0
  // The first extended action stands in this cell, each further one behind a reference.
  const extended = slice.bit() && slice.refsLeft > 0 ? 1 + chainLength(slice.ref()) : 0
  return types.reader('W5MsgBody', [outActions, extended])(context.open(cell), context)
}

/** Highload v3's message to itself: query id and a list of actions in a reference. */
export function readHighloadV3Request(cell: Cell, context: DecodeContext): JsonObject {
  return types.reader('HighloadV3InternalRequest', [chainLength(cell.refs[0])])(context.open(cell), context)
}

interface SignedLayout {
  readonly type: string
  /** Parameters of the type; undefined when this body cannot be one. */
  readonly args: (cell: Cell) => readonly number[] | undefined
}

const byReferences = (cell: Cell): readonly number[] => [cell.refs.length]
const none = (): readonly number[] => []

/**
 * Bodies of external messages to wallets before v5 start with a signature: no opcode tells them apart, so
 * each is tried.
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

/** A signed wallet body, recognised only if it uses every bit and reference of its cell. */
export function readSignedBody(cell: Cell, context: DecodeContext): JsonObject | undefined {
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
