import { cleanJson, type JsonObject, type JsonValue } from './document.ts'
import { isIpfs } from './ipfs.ts'

/** Names of the token types, as in API v3. */
export const TOKEN_KINDS = ['nft_items', 'nft_collections', 'jetton_masters'] as const
/** An element of `TOKEN_KINDS`. */
export type TokenKind = (typeof TOKEN_KINDS)[number]

/** Metadata of a token. Unknown members are absent. */
export interface MetadataRecord {
  readonly name?: string
  readonly symbol?: string
  readonly description?: string
  readonly image?: string
  /** All other members with their own names and types. */
  readonly extra: JsonObject
}

/** What a record is made of: content from the chain, and the document that it names. */
export interface RecordInput {
  readonly kind: TokenKind
  /** TEP-64 attributes from the chain; null if the contract returned none. */
  readonly content: Readonly<Record<string, unknown>> | null
  readonly offChain?: { readonly document: JsonObject; readonly url: string }
  /** DNS name of an item, including its zone. */
  readonly domain?: string | null
}

const LIMITS = { name: 256, symbol: 256, description: 16_384, image: 65_536 } as const
const MAX_EXTRA_KEYS = 200
const MAX_EXTRA_BYTES = 65_536
type Column = keyof typeof LIMITS
const COLUMNS = Object.keys(LIMITS) as readonly Column[]

/** URL of the off-chain content. Old tokens call it `url`. */
export function contentUrl(content: Readonly<Record<string, unknown>> | null): string | undefined {
  for (const name of ['url', 'uri']) {
    const value = content?.[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return undefined
}

/**
 * Merges on-chain content and the fetched document; for each name the chain takes precedence, within `extra`
 * too. Undefined if nothing was fetched and the chain alone says too little: a jetton needs a symbol, an item
 * a name or a domain, a collection a name, a description or an image.
 */
export function makeRecord(input: RecordInput): MetadataRecord | undefined {
  const record = merge(input)
  return input.offChain || isEnough(input.kind, record) ? record : undefined
}

/** The record of a token from on-chain content alone, and whether it is sufficient without a fetch. */
export function chainRecord(input: Omit<RecordInput, 'offChain'>): {
  readonly record: MetadataRecord
  readonly isComplete: boolean
} {
  const record = merge(input)
  return { record, isComplete: isEnough(input.kind, record) }
}

function merge({ kind, content, offChain, domain }: RecordInput): MetadataRecord {
  const chain = object(cleanJson(content ?? {}))
  const fetched = withImageFrom(withoutReserved(offChain?.document ?? {}), offChain?.url)
  const extra: JsonObject = { ...object(fetched['extra']), ...object(chain['extra']) }
  const joined: JsonObject = {
    ...fetched,
    ...withoutReserved(withoutBlanks(chain, fetched)),
    ...(domain && kind === 'nft_items' && { domain }),
  }
  return toRecord(joined, withoutReserved(extra))
}

function isEnough(kind: TokenKind, { name, symbol, description, image, extra }: MetadataRecord): boolean {
  if (kind === 'jetton_masters') return symbol !== undefined
  if (kind === 'nft_items') return name !== undefined || extra['domain'] !== undefined
  return name !== undefined || description !== undefined || image !== undefined
}

function toRecord(joined: JsonObject, nested: JsonObject): MetadataRecord {
  const extra: Record<string, JsonValue> = Object.assign(Object.create(null), nested)
  const columns: { [C in Column]?: string } = {}
  for (const [key, value] of Object.entries(joined)) {
    if (key === 'extra' && typeof value === 'object' && value !== null && !Array.isArray(value)) continue
    const column = COLUMNS.find((name) => name === key)
    if (!column || typeof value !== 'string') extra[key] = value
    else if (value !== '') columns[column] = shorten(column, value)
    if (column && columns[column] === undefined) delete columns[column]
  }
  const decimals = decimalsText(extra['decimals'])
  delete extra['decimals']
  return { ...columns, extra: bounded(decimals === undefined ? extra : { ...extra, decimals }) }
}

/**
 * Truncates texts between characters, but drops an image URL that is too long. Names lose bidirectional
 * controls.
 */
function shorten(column: Column, value: string): string | undefined {
  const limit = LIMITS[column]
  if (column === 'image') return value.length > limit ? undefined : value
  const text = column === 'description' ? value : value.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
  return text.length > limit ? text.slice(0, limit).replace(/[\ud800-\udbff]$/, '') : text
}

/** Whole numbers from 0 to 255 as decimal text. Source: TEP-64. */
function decimalsText(value: JsonValue | undefined): string | undefined {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return /^\d{1,3}$/.test(text) && Number(text) <= 255 ? String(Number(text)) : undefined
}

/** Drops the largest members until at most 200 members and 64 KiB of JSON remain. */
function bounded(extra: Readonly<Record<string, JsonValue>>): JsonObject {
  const sized = Object.entries(extra).map(([key, value]) => ({
    key,
    value,
    size: Buffer.byteLength(JSON.stringify(key)) + Buffer.byteLength(JSON.stringify(value)) + 2,
  }))
  const smallFirst = [...sized].sort((a, b) => a.size - b.size)
  const kept = new Set<string>()
  let left = MAX_EXTRA_BYTES
  for (const { key, size } of smallFirst) {
    left -= size
    if (left < 0 || kept.size >= MAX_EXTRA_KEYS) break
    kept.add(key)
  }
  const result: Record<string, JsonValue> = Object.create(null)
  for (const { key, value } of sized) if (kept.has(key)) result[key] = value
  return result
}

/** Drops names that API replies add themselves, so that a document cannot forge them. */
const withoutReserved = (document: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(document).filter(([key]) => !/^_(image|type)/.test(key)))

/** Drops empty texts in whose place the document has something: the chain says nothing by them. */
const withoutBlanks = (chain: JsonObject, fetched: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(chain).filter(([key, value]) => value !== '' || !(key in fetched)))

/** Resolves an image given relative to the document, as some collections do. */
function withImageFrom(document: JsonObject, base: string | undefined): JsonObject {
  const image = document['image']
  if (typeof image !== 'string' || image === '' || base === undefined) return document
  if (/^[a-z][a-z0-9+.-]*:/i.test(image) || /^data:/i.test(base)) return document
  const from = isIpfs(base) ? base.replace(/^ipfs:\/*(ipfs\/)?/i, 'ipfs://') : base
  return URL.canParse(image, from) ? { ...document, image: new URL(image, from).href } : document
}

const object = (value: JsonValue | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
