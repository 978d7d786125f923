import { CELL, type Cell, forEachLeaf, loadDictRoot, type Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { ATTRIBUTE_KEYS } from './token-attributes.ts'

/** Longer values are cut here and listed in `truncated`: on-chain images are real, megabytes of text are not. */
const MAX_VALUE_BYTES = 256 * 1024
/** Over all values of one token. */
const MAX_TOTAL_BYTES = 1024 * 1024
const MAX_ATTRIBUTES = 1024
/** Shared cells can describe 2^32 empty chunks. */
const MAX_CHUNKS = 8192

/**
 * Content of a jetton, NFT or collection as its contract holds it. Source: TEP-64.
 * `attributes`: text by name, without NUL characters; `image_data` is base64. Off-chain content has the one attribute `uri`.
 * `unknown`: values whose keys (SHA-256 of a name) are not in our list, by key in hex, base64 of the bytes.
 */
export interface TokenContent {
  readonly layout: 'onchain' | 'offchain' | 'semichain'
  readonly attributes: ReadonlyMap<string, string>
  readonly unknown: ReadonlyMap<string, string>
  /** Names of attributes that were longer than the limit and are cut. */
  readonly truncated: readonly string[]
}

/** Reads a content cell; undefined when it is none (unknown first byte, exotic cell, off-chain text that is not UTF-8). Never throws. */
export function parseTokenContent(content: Cell): TokenContent | undefined {
  try {
    const slice = content.slice()
    if (slice.remainingBits < 8) return undefined
    const layout = slice.loadUint(8)
    if (layout === 1) return offChain(slice)
    return layout === 0 ? onChain(slice) : undefined
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** The attributes as a plain object for JSON. It has no prototype: no key can reach one. */
export function contentAttributes(content: TokenContent): Record<string, string> {
  const record: Record<string, string> = Object.create(null)
  for (const [name, value] of content.attributes) record[name] = value
  return record
}

function offChain(slice: Slice): TokenContent | undefined {
  const value = readSnake(slice, MAX_VALUE_BYTES)
  const uri = value && decodeText(value.bytes)
  if (uri === undefined) return undefined
  return {
    layout: 'offchain',
    attributes: new Map([['uri', uri]]),
    unknown: new Map(),
    truncated: value?.isCut ? ['uri'] : [],
  }
}

function onChain(slice: Slice): TokenContent {
  const attributes = new Map<string, string>()
  const unknown = new Map<string, string>()
  const truncated: string[] = []
  let left = MAX_TOTAL_BYTES
  let count = 0
  forEachLeaf(loadDictRoot(slice), 256, (leaf, key) => {
    if (++count > MAX_ATTRIBUTES) return false
    const hex = key.toBuffer().toString('hex')
    const value = readValue(leaf, Math.min(left, MAX_VALUE_BYTES))
    if (!value) return undefined
    left -= value.bytes.length
    const name = ATTRIBUTE_KEYS.get(hex)
    if (value.isCut) truncated.push(name ?? hex)
    if (name === undefined) unknown.set(hex, value.bytes.toString('base64'))
    else {
      const text = name === 'image_data' ? value.bytes.toString('base64') : decodeText(value.bytes)
      if (text !== undefined) attributes.set(name, text)
    }
    return undefined
  })
  return { layout: attributes.has('uri') ? 'semichain' : 'onchain', attributes, unknown, truncated }
}

interface Value {
  readonly bytes: Buffer
  readonly isCut: boolean
}

/** One dictionary value: in a reference as TEP-64 says, or (seen on the chain) in the leaf itself. Undefined when unreadable. */
function readValue(leaf: Slice, limit: number): Value | undefined {
  try {
    const isReference = leaf.remainingBits === 0 && leaf.remainingRefs === 1
    return readContentData(isReference ? leaf.loadRefSlice() : leaf, limit)
  } catch (error) {
    // One broken attribute does not make the others unreadable.
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** TEP-64 `ContentData`: snake#00, chunks#01. Contracts that leave out the prefix are read as plain snake text. */
function readContentData(slice: Slice, limit: number): Value | undefined {
  if (slice.remainingBits < 8) return readSnake(slice, limit)
  const prefix = slice.preloadUint(8)
  if (prefix === 0) return readSnake(slice.skip(8), limit)
  if (prefix === 1) return readChunks(slice.skip(8), limit)
  return readSnake(slice, limit)
}

/** Bytes of this cell, then of its first reference, and so on. Undefined when a cell does not hold whole bytes. */
function readSnake(start: Slice, limit: number): Value | undefined {
  const parts: Buffer[] = []
  let size = 0
  let slice: Slice | undefined = start
  while (slice) {
    if (slice.remainingBits % 8 !== 0) return undefined
    const part = slice.loadBytes(slice.remainingBits / 8)
    if (size + part.length > limit) return { bytes: Buffer.concat(parts), isCut: true }
    parts.push(part)
    size += part.length
    slice = slice.remainingRefs > 0 && slice.refType() === CELL.ordinary ? slice.loadRefSlice() : undefined
  }
  return { bytes: Buffer.concat(parts), isCut: false }
}

/** `HashmapE 32 ^Cell`: chunk i is a snake of its own; indices run from 0 without gaps. */
function readChunks(slice: Slice, limit: number): Value | undefined {
  const parts: Buffer[] = []
  let size = 0
  let state: 'whole' | 'cut' | 'broken' = 'whole'
  forEachLeaf(loadDictRoot(slice), 32, (leaf, key) => {
    if (key.toNumber() !== parts.length) {
      state = 'broken'
      return false
    }
    if (parts.length >= MAX_CHUNKS) {
      state = 'cut'
      return false
    }
    const chunk = readSnake(leaf.remainingRefs > 0 ? leaf.loadRefSlice() : leaf, limit - size)
    if (!chunk || chunk.isCut) {
      state = chunk ? 'cut' : 'broken'
      return false
    }
    parts.push(chunk.bytes)
    size += chunk.bytes.length
    return undefined
  })
  const ended = state as 'whole' | 'cut' | 'broken'
  return ended === 'broken' ? undefined : { bytes: Buffer.concat(parts), isCut: ended === 'cut' }
}

/** UTF-8 text without NUL characters (PostgreSQL text cannot hold them); undefined when the bytes are not UTF-8. */
function decodeText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replaceAll('\0', '')
  } catch {
    return undefined
  }
}
