import { type Cell, forEachLeaf, loadDictRoot, loadSnake, type Slice, type Snake } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { decodeText } from '../bodies/text.ts'
import { ATTRIBUTE_KEYS } from './token-attributes.ts'

/**
 * Longer values are cut here and listed in `truncated`: images stored on-chain do occur, megabytes of text do
 * not.
 */
const MAX_VALUE_BYTES = 256 * 1024
/** Applies to all values of one token together. */
const MAX_TOTAL_BYTES = 1024 * 1024
const MAX_ATTRIBUTES = 1024
/** Shared cells can describe 2^32 empty chunks. */
const MAX_CHUNKS = 8192

/**
 * Content of a jetton, NFT or collection as its contract holds it. Source: TEP-64. `attributes`: text by
 * name, without NUL characters; `image_data` is base64. Off-chain content has a single attribute, `uri`.
 * `unknown`: values whose key (SHA-256 of the name) is not in our list; key in hex, value in base64.
 */
export interface TokenContent {
  readonly layout: 'onchain' | 'offchain' | 'semichain'
  readonly attributes: ReadonlyMap<string, string>
  readonly unknown: ReadonlyMap<string, string>
  /** Names of the attributes that exceeded the limit and were cut. */
  readonly truncated: readonly string[]
}

/**
 * Reads a content cell; undefined when it is not token content (unknown first byte, exotic cell, off-chain
 * text that is not UTF-8). Never throws.
 */
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

/** The attributes as a plain object for JSON, without a prototype, so that no key can reach one. */
export function contentAttributes(content: TokenContent): Record<string, string> {
  const record: Record<string, string> = Object.create(null)
  for (const [name, value] of content.attributes) record[name] = value
  return record
}

function offChain(slice: Slice): TokenContent | undefined {
  const value = readSnake(slice, MAX_VALUE_BYTES)
  const uri = value && textOf(value)
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
      const text = name === 'image_data' ? value.bytes.toString('base64') : textOf(value)
      if (text !== undefined) attributes.set(name, text)
    }
    return undefined
  })
  return { layout: attributes.has('uri') ? 'semichain' : 'onchain', attributes, unknown, truncated }
}

/**
 * A dictionary value: in a reference, as TEP-64 says, or in the leaf itself, as some contracts store it.
 * Undefined when unreadable.
 */
function readValue(leaf: Slice, limit: number): Snake | undefined {
  try {
    const isReference = leaf.remainingBits === 0 && leaf.remainingRefs === 1
    return readContentData(isReference ? leaf.loadRefSlice() : leaf, limit)
  } catch (error) {
    // A broken attribute does not make the others unreadable.
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

/** TEP-64 `ContentData`: snake#00, chunks#01. A value without a prefix is read as snake text. */
function readContentData(slice: Slice, limit: number): Snake | undefined {
  if (slice.remainingBits < 8) return readSnake(slice, limit)
  const prefix = slice.preloadUint(8)
  if (prefix === 0) return readSnake(slice.skip(8), limit)
  if (prefix === 1) return readChunks(slice.skip(8), limit)
  return readSnake(slice, limit)
}

/** An exotic cell ends the text, because the cell it stands for cannot be looked up here. */
const readSnake = (start: Slice, maxBytes: number): Snake | undefined =>
  loadSnake(start, { exotic: 'stop', maxBytes })

/** `HashmapE 32 ^Cell`: chunk i is snake data of its own; indices run from 0 without gaps. */
function readChunks(slice: Slice, limit: number): Snake | undefined {
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

const textOf = ({ bytes }: Snake): string | undefined => decodeText(bytes, { damaged: 'refuse' })
