import { type Cell, forEachLeaf, loadDictRoot, loadSnake, lookup, type Slice, sha256 } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { decodeText } from '../bodies/text.ts'
import { TEP64_ATTRIBUTES } from './token-attributes.ts'

const KEYS = TEP64_ATTRIBUTES.map((name) => [name, sha256(Buffer.from(name))] as const)
/** The cell that would exceed this limit, and all cells after it, are left out. */
const MAX_VALUE_BYTES = 8192
/** Shared cells can describe 2^32 empty chunks. */
const MAX_CHUNKS = 8192

/** Content as API v2 shows it: attributes by name, or the URL of a document. */
export type TokenContentView =
  | { readonly type: 'onchain'; readonly data: Readonly<Record<string, string>> }
  | { readonly type: 'offchain'; readonly data: string }

/**
 * Content in the strict reading of API v2: only attributes of TEP-64, and only values that carry its prefix.
 * `parseTokenContent` accepts more. Throws `DecodeError` when the cell is not token content.
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

/**
 * The value is in a reference, as TEP-64 says, or in the leaf itself, as some contracts store it. Undefined
 * when unreadable.
 */
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

/** Throws `DecodeError` when the cells are damaged. */
function readSnake(start: Slice, maxBytes?: number): Buffer {
  const snake = loadSnake(start, { maxBytes })
  if (!snake) throw new DecodeError('snake', 'not whole bytes in ordinary cells')
  return snake.bytes
}

/** `HashmapE 32 ^Cell` with keys 0, 1, 2 …; only the root cell of each chunk is read. */
function readChunks(slice: Slice): Buffer {
  const parts: Buffer[] = []
  let size = 0
  forEachLeaf(loadDictRoot(slice), 32, (leaf, key) => {
    if (key.toNumber() !== parts.length || parts.length >= MAX_CHUNKS) return false
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
