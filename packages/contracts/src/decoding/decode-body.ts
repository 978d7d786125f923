import { type Cell, parseRoot } from '@shardwalk/cells'
import { BodySlice } from './body-slice.ts'
import { attempt } from './compile.ts'
import { bodyReaders, opcodeName } from './constructors.ts'
import { DecodeContext, type StepBudget } from './context.ts'
import type { JsonObject } from './json.ts'
import { readHighloadV3Request, readSignedBody, readW5Request } from './signed-bodies.ts'

/** A body as a tree of fields; `why` describes a body that could not be read. */
export type BodyOutcome =
  | { readonly outcome: 'decoded'; readonly body: JsonObject }
  /** Decoded, but a text in it is not UTF-8; its broken bytes are replaced by U+FFFD. */
  | { readonly outcome: 'broken_text'; readonly body: JsonObject }
  | { readonly outcome: 'too_small'; readonly bits: number }
  | { readonly outcome: 'exotic' }
  | { readonly outcome: 'unknown' }

/**
 * A message body or payload as the indexed API prints it (`message_content.decoded`,
 * `decoded_forward_payload`), fields in order of declaration; null when no known layout fits. `body`: a bag
 * of cells with one root, or the root cell. Never throws, and does a bounded amount of work on any input.
 */
export function decodeBody({ body }: { readonly body: Uint8Array | Cell }): JsonObject | null {
  const cell = body instanceof Uint8Array ? openBag(body) : body
  if (!cell) return null
  const result = decodeCell(cell)
  return result.outcome === 'decoded' ? withComment(result.body) : null
}

/**
 * Decodes a body without the special form for comments. `budget`: work shared with other bodies. Never
 * throws.
 */
export function decodeCell(cell: Cell, budget?: StepBudget): BodyOutcome {
  if (cell.isExotic) return { outcome: 'exotic' }
  if (cell.bits < 32 && !isEmpty(cell)) return { outcome: 'too_small', bits: cell.bits }
  const context = new DecodeContext(decodeRoot, budget)
  const body = decodeRoot(cell, context)
  if (!body) return { outcome: 'unknown' }
  return { outcome: context.hasBrokenText ? 'broken_text' : 'decoded', body }
}

function openBag(bytes: Uint8Array): Cell | undefined {
  try {
    return parseRoot(bytes, { verifyCrc: false })
  } catch {
    return undefined
  }
}

const W5_REQUESTS: ReadonlySet<string> = new Set([
  'w5_internal_signed_request',
  'w5_external_signed_request',
  'w5_extension_action_request',
])

const isEmpty = (cell: Cell): boolean => cell.bits === 0 && cell.refs.length === 0

/**
 * The order of the indexed API: layouts found by name, then signed bodies when there is no name, then every
 * layout with the opcode.
 */
function decodeRoot(cell: Cell, context: DecodeContext): JsonObject | undefined {
  if (cell.isExotic) return undefined
  if (isEmpty(cell)) return { '@type': 'empty_cell' }
  if (cell.bits < 32) return undefined
  const opcode = new BodySlice(cell).uint(32)
  const name = opcodeName(opcode)
  if (name === null) return readSignedBody(cell, context)
  if (W5_REQUESTS.has(name)) return attempt(() => readW5Request(cell, name, context))
  if (name === 'highload_v3_internal_request') return attempt(() => readHighloadV3Request(cell, context))
  for (const read of bodyReaders(opcode)) {
    const body = attempt(() => {
      context.hasBrokenText = false
      const slice = context.open(cell)
      slice.skip(32)
      return read(slice, context)
    })
    if (body) return body
  }
  return undefined
}

/** A text comment at the root has keys of its own, sorted: clients read `comment`. */
function withComment(body: JsonObject): JsonObject {
  if (body['@type'] !== 'text_comment') return body
  return { '@type': 'text_comment', comment: body.text as string, type: 'text_comment' }
}
