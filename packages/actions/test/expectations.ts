import { parseBoc } from '@shardwalk/cells'
import type { ActionRow } from '../src/index.ts'
import type { Condition, Expectation, Expected } from './fixture-files.ts'

/** Value at a dotted path with `[n]`; null when a part of the path is missing. */
function valueAt(root: unknown, path: string): unknown {
  let value: unknown = root
  for (const key of path.replaceAll(/\[(\d+)\]/g, '.$1').split('.'))
    value = (value as Record<string, unknown> | null | undefined)?.[key]
  return value ?? null
}

const bocHash = (text: string): string | undefined => {
  try {
    const bag = parseBoc(Buffer.from(text, 'base64'))
    return bag.hash(bag.root).toString('hex')
  } catch {
    return undefined
  }
}

function sameText(actual: unknown, expected: string): boolean {
  if (typeof actual !== 'string') return false
  if (/^-?\d+:[0-9a-fA-F]{64}$/.test(expected)) return actual.toUpperCase() === expected.toUpperCase()
  if (expected.startsWith('te6cc')) return bocHash(actual) === bocHash(expected)
  return actual === expected
}

/** True if the actual value meets the expectation, by the rules of the README of fixtures/actions. */
function holds(actual: unknown, expected: Expected): boolean {
  if (expected === null) return actual === null || actual === undefined
  if (typeof expected === 'boolean') return actual === expected
  if (typeof expected === 'string') return sameText(actual, expected)
  if (actual === null || actual === undefined) return false
  if (typeof expected === 'number') return Number(actual) === expected
  if (expected.op === 'int_eq') return BigInt(actual as bigint) === BigInt(expected.value)
  if (expected.op === 'num_eq') return Number(actual) === expected.value
  if (expected.op === 'has_fields')
    return Object.entries(expected.fields).every(([path, value]) => holds(valueAt(actual, path), value))
  const list = actual as readonly unknown[]
  return (
    list.length === expected.items.length &&
    expected.items.every((item) => list.some((value) => holds(value, item)))
  )
}

function selects(row: ActionRow, { path, op, value = null }: Condition): boolean {
  const actual = valueAt(row, path)
  if (op === 'empty') return actual === null || (Array.isArray(actual) && actual.length === 0)
  return holds(actual, value) === (op === 'eq')
}

/** Failures, one line each; empty when the expectation is met. */
export function check(rows: readonly ActionRow[], expectation: Expectation): string[] {
  const ofType = rows.filter(({ type }) => type.toLowerCase() === expectation.type.toLowerCase())
  const found = ofType.filter((row) => expectation.select.every((condition) => selects(row, condition)))
  const [row] = found
  if (!row || (expectation.select.length === 0 && found.length !== 1))
    return [`${found.length} of ${ofType.length} rows of type ${expectation.type} selected`]
  return Object.entries(expectation.values)
    .filter(([path, value]) => !holds(valueAt(row, path), value))
    .map(
      ([path, value]) => `${expectation.type}.${path}: ${show(valueAt(row, path))}, expected ${show(value)}`,
    )
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? item.toString() : item))
