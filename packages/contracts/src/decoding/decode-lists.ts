import { type Cell, parseRoot } from '@shardwalk/cells'
import { errorMessage } from '@shardwalk/model'
import { opcodeName } from './constructors.ts'
import type { StepBudget } from './context.ts'
import { decodeCell } from './decode-body.ts'
import { type Json, sortKeys } from './json.ts'

/** An opcode text that is not a 32-bit number. `text`: as given, without `0x`. */
export interface OpcodeProblem {
  readonly index: number
  readonly text: string
}

/**
 * Names of opcodes given as text (`0x` + hex, hex, decimal, negative decimal), `unknown` for those without a
 * name. Digits alone are read as hex when they fit 32 bits. The first invalid text is returned as the
 * problem.
 */
export function decodeOpcodes(texts: readonly string[]): readonly string[] | OpcodeProblem {
  const names: string[] = []
  for (const [index, given] of texts.entries()) {
    const text = given.startsWith('0x') ? given.slice(2) : given
    const opcode = parseOpcode(text)
    if (opcode === undefined) return { index, text }
    names.push(opcodeName(opcode) ?? 'unknown')
  }
  return names
}

/** Converting decimal digits takes time quadratic in their number. */
const MAX_OPCODE_LENGTH = 80

function parseOpcode(text: string): number | undefined {
  if (text.length > MAX_OPCODE_LENGTH) return undefined
  if (/^[0-9a-f]+$/i.test(text)) {
    const value = BigInt(`0x${text}`)
    if (value <= 0xffffffffn) return Number(value)
  }
  if (/^\d+$/.test(text) && BigInt(text) <= 0xffffffffn) return Number(text)
  if (!/^[+-]\d+$/.test(text)) return undefined
  const value = Number(text)
  return value === (value | 0) ? value : undefined
}

/**
 * The reply of `/decode` for each body: the decoded object with sorted keys, `{"error"}` with the reason, or
 * `{"failed_to_decode_json"}` when a text in it is not UTF-8. A body that starts with `te6` is base64, any
 * other is hex. Never throws.
 */
export function decodeBodies(texts: readonly string[]): Json[] {
  const budget: StepBudget = { left: MAX_STEPS_PER_LIST }
  return texts.map((text) => decodeBodyText(text, budget))
}

/**
 * About 0.3 s of work. Real bodies need a few hundred steps each; this keeps a list of 1,000 hostile ones
 * from stalling the process.
 */
const MAX_STEPS_PER_LIST = 2_000_000

function decodeBodyText(text: string, budget: StepBudget): Json {
  const bytes = text.startsWith('te6') ? fromBase64(text) : fromHex(text)
  if (typeof bytes === 'string') return failure(bytes)
  const cell = openCell(bytes)
  if (typeof cell === 'string') return failure(cell)
  const result = decodeCell(cell, budget)
  switch (result.outcome) {
    case 'decoded':
      return sortKeys(result.body)
    case 'broken_text':
      return { failed_to_decode_json: JSON.stringify(result.body) }
    case 'too_small':
      return failure(`boc is too small, size ${result.bits}`)
    case 'exotic':
      return failure('vm error - exotic cell where data was expected')
    case 'unknown':
      return failure('no parser succeeded')
  }
}

const failure = (reason: string): Json => ({ error: `unknown: ${reason}` })

function fromBase64(text: string): Buffer | string {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0)
    return 'failed to decode base64: not standard base64'
  return Buffer.from(text, 'base64')
}

function fromHex(text: string): Buffer | string {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text))
    return 'failed to decode hex: not an even number of hex digits'
  return Buffer.from(text, 'hex')
}

function openCell(bytes: Buffer): Cell | string {
  try {
    return parseRoot(bytes)
  } catch (error) {
    return `failed to deserialize boc: ${errorMessage(error)}`
  }
}
