import { type Cell, forEachLeaf, loadDictRoot, loadSnake, lookup, type Slice, sha256 } from '@shardwalk/cells'
import { decodeText } from '@shardwalk/contracts'
import { DecodeError } from '@shardwalk/model'

const NAMES = [
  'uri',
  'name',
  'description',
  'image',
  'image_data',
  'symbol',
  'decimals',
  'amount_style',
  'render_type',
] as const
const KEYS = NAMES.map((name) => [name, sha256(Buffer.from(name))] as const)
/** Whole cells are dropped beyond it. Source: API v2 specification 13.5. */
const MAX_VALUE_BYTES = 8192

export type TokenContentView =
  | { readonly type: 'onchain'; readonly data: Readonly<Record<string, string>> }
  | { readonly type: 'offchain'; readonly data: string }

/**
 * Content as API v2 shows it: only the attributes of TEP-64, only values that carry its prefix. Stricter than what the index reads.
 * Throws `DecodeError`: not content.
 */
export function readTokenContent(cell: Cell): TokenContentView {
  const slice = cell.slice()
  const layout = slice.loadUint(8)
  if (layout === 1) {
    const text = textOf(readSnake(slice))
    if (text === undefined) throw new DecodeError('token_content', 'text is not UTF-8')
    return { type: 'offchain', data: text }
  }
  if (layout !== 0) throw new DecodeError('token_content', `unknown layout ${layout}`)
  const root = loadDictRoot(slice)
  const attributes = KEYS.flatMap(([name, key]) => {
    const leaf = lookup(root?.clone(), 256, key)
    const value = leaf && readAttribute(leaf)
    const text = value && (name === 'image_data' ? value.toString('base64') : textOf(value))
    return text === undefined ? [] : [[name, text] as const]
  })
  return { type: 'onchain', data: Object.fromEntries(attributes) }
}

/** In a reference as the standard says, or, seen on the chain, in the leaf. Undefined: not readable. */
function readAttribute(leaf: Slice): Buffer | undefined {
  try {
    const slice = leaf.remainingBits === 0 && leaf.remainingRefs > 0 ? leaf.loadRefSlice() : leaf
    const prefix = slice.loadUint(8)
    if (prefix === 0) return readSnake(slice, MAX_VALUE_BYTES)
    return prefix === 1 ? readChunks(slice) : undefined
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** Throws DecodeError when the text is damaged. */
function readSnake(start: Slice, maxBytes?: number): Buffer {
  const snake = loadSnake(start, { maxBytes })
  if (!snake) throw new DecodeError('snake', 'not whole bytes in ordinary cells')
  return snake.bytes
}

/** `HashmapE 32 ^Cell` with keys 0, 1, 2 …; of each chunk only the root cell counts. */
function readChunks(slice: Slice): Buffer {
  const parts: Buffer[] = []
  let size = 0
  forEachLeaf(loadDictRoot(slice), 32, (leaf, key) => {
    if (key.toNumber() !== parts.length) return false
    const chunk = leaf.loadRefSlice()
    const part = chunk.loadBytes(Math.floor(chunk.remainingBits / 8))
    size += part.length
    if (size > MAX_VALUE_BYTES) return false
    parts.push(part)
    return undefined
  })
  return Buffer.concat(parts)
}

const textOf = (bytes: Buffer): string | undefined => decodeText(bytes, { damaged: 'refuse', keepNul: true })
