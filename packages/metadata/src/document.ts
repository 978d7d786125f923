import { FetchError } from './fetch-error.ts'

/** A parsed document. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [name: string]: JsonValue
}

const MAX_DEPTH = 16
const MAX_KEY = 256
const MAX_MEMBERS = 10_000
/** Names through which careless code could modify a prototype. */
const DANGEROUS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Parses untrusted bytes as one JSON object in UTF-8, optionally with a byte order mark, and cleans it.
 * Throws `FetchError`.
 */
export function parseDocument(bytes: Buffer): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new FetchError('parse', 'not a JSON document in UTF-8', { cause: error })
  }
  const cleaned = cleanJson(value)
  if (typeof cleaned !== 'object' || cleaned === null || Array.isArray(cleaned))
    throw new FetchError('parse', 'not a JSON object')
  return cleaned as JsonObject
}

/**
 * The value without anything nested deeper than 16 and without names that could reach prototypes. Characters
 * that PostgreSQL refuses (NUL, lone surrogates) and control characters are removed. Objects have no
 * prototype.
 */
export function cleanJson(value: unknown): JsonValue | undefined {
  return clean(value, { left: MAX_MEMBERS }, 0)
}

function clean(value: unknown, budget: { left: number }, depth: number): JsonValue | undefined {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'boolean' || value === null) return value
  if (typeof value !== 'object' || depth >= MAX_DEPTH) return undefined
  return Array.isArray(value) ? cleanArray(value, budget, depth) : cleanObject(value, budget, depth)
}

function cleanArray(items: readonly unknown[], budget: { left: number }, depth: number): JsonValue {
  const kept: JsonValue[] = []
  for (const item of items) {
    if (--budget.left < 0) break
    const cleaned = clean(item, budget, depth + 1)
    if (cleaned !== undefined) kept.push(cleaned)
  }
  return kept
}

function cleanObject(object: object, budget: { left: number }, depth: number): JsonValue {
  const kept: Record<string, JsonValue> = Object.create(null)
  const members = Object.entries(object)
  // What names a token must not be lost to a long list before it.
  if (depth === 0) members.sort(([, a], [, b]) => Number(isNested(a)) - Number(isNested(b)))
  for (const [key, member] of members) {
    if (--budget.left < 0) break
    const name = cleanText(key)
    if (name.length > MAX_KEY || DANGEROUS.has(name)) continue
    const cleaned = clean(member, budget, depth + 1)
    if (cleaned !== undefined) kept[name] = cleaned
  }
  return kept
}

const isNested = (value: unknown): boolean => typeof value === 'object' && value !== null

/** Control characters except tab and line ends, and unpaired surrogates. */
const CONTROLS = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]`
const UNPAIRED = String.raw`[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]`
const UNPRINTABLE = new RegExp(`${CONTROLS}|${UNPAIRED}`, 'g')

const cleanText = (text: string): string => text.replace(UNPRINTABLE, '')
