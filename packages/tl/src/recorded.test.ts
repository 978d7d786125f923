import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { DecodeError } from '@shardwalk/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeAnswer,
  decodeFunction,
  decodeObject,
  decodeObjectAs,
  encodeFunction,
  encodeObject,
  functionNameOf,
  type LiteCall,
} from './index.ts'

interface Entry {
  readonly name: string
  readonly function?: string
  readonly arguments?: Record<string, unknown>
  readonly query: string
  readonly answer?: string
  readonly answer_type?: string
  readonly answer_summary?: Record<string, unknown>
  readonly error_code?: number
  readonly error_message?: string
}

const folder = new URL('../../../fixtures/chain/liteserver-answers/', import.meta.url)
const entries: readonly (Entry & { readonly file: string })[] = readdirSync(folder)
  .filter((file) => !file.startsWith('index.'))
  .flatMap((file) => {
    const { entries } = JSON.parse(gunzipSync(readFileSync(new URL(file, folder))).toString()) as {
      entries: Entry[]
    }
    return entries.map((entry) => ({ ...entry, file }))
  })
const bytesOf = (hex: string) => Buffer.from(hex, 'hex')
const malformed = new Set(['unknown-function', 'truncated', 'trailing', 'empty'])
const prefixed = (entry: Entry) => entry.query.startsWith('92b8eaba')

/**
 * The spelling of the recording: snake_case names, hex hashes, decimal longs, signed shards and list hashes.
 * Bytes are written in the form the recording uses for them (`<N bytes>` or hex), so that values can be
 * compared for equality.
 */
function recordedForm(value: unknown, recorded: unknown, key = ''): unknown {
  if (Buffer.isBuffer(value))
    return /^<\d+ bytes>$/.test(String(recorded)) ? `<${value.length} bytes>` : value.toString('hex')
  // The recorded node knew only the ordinary set, under its old name.
  if (value === 'liteServer.signatureSet.ordinary') return 'liteServer.signatureSet'
  if (key === 'validatorSetHash') return (value as number) | 0
  if (typeof value === 'bigint') return (key === 'shard' ? BigInt.asIntN(64, value) : value).toString()
  if (Array.isArray(value))
    return value.map((item, i) => recordedForm(item, (recorded as unknown[] | undefined)?.[i]))
  if (value === null || typeof value !== 'object') return value
  const fields = Object.entries(value).map(([name, inner]) => {
    const snake = name === 'kind' ? '@' : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    return [snake, recordedForm(inner, (recorded as Record<string, unknown> | undefined)?.[snake], name)]
  })
  return Object.fromEntries(fields)
}

test('a hash has memory of its own: whoever keeps it keeps nothing else', () => {
  const entry = entries.find((e) => e.answer_type === 'liteServer.partialBlockProof')!
  const answer = decodeObjectAs('liteServer.partialBlockProof', bytesOf(entry.answer!))
  const hashes = [answer.from.rootHash, answer.to.fileHash]
  expect(hashes.map(({ buffer }) => buffer.byteLength)).toEqual([32, 32])
})

test('the recording is complete', () => {
  expect(entries.length).toBeGreaterThan(250)
})

describe('a recorded query decodes to its recorded arguments and encodes to the same bytes', () => {
  const queries = entries.filter((e) => e.function && !malformed.has(e.name) && !prefixed(e))
  test.each(queries.map((e) => [`${e.file} ${e.name}`, e] as const))('%s', (_, entry) => {
    const call: LiteCall = decodeFunction(bytesOf(entry.query))
    expect(call.name).toBe(entry.function)
    expect(functionNameOf(bytesOf(entry.query))).toBe(entry.function)
    const recorded = entry.arguments ?? {}
    expect(entry.arguments ? recordedForm(call.args, recorded) : {}).toEqual(recorded)
    expect(encodeFunction(call.name, call.args).toString('hex')).toBe(entry.query)
  })
})

describe('a recorded answer encodes to the same bytes', () => {
  const answers = entries.filter((e) => e.answer)
  test.each(answers.map((e) => [`${e.file} ${e.name}`, e] as const))('%s', (_, entry) => {
    const boxed = decodeObject(bytesOf(entry.answer!))
    expect(boxed.name).toBe(entry.answer_type)
    expect(encodeObject(boxed.name, boxed.value).toString('hex')).toBe(entry.answer)
    const summary = entry.answer_summary
    if (summary)
      expect({ '@': boxed.name, ...(recordedForm(boxed.value, summary) as object) }).toEqual(summary)
    if (boxed.name === 'liteServer.error' && entry.error_code !== undefined) {
      expect(boxed.value).toEqual({ code: entry.error_code, message: entry.error_message })
    }
    if (entry.function && !malformed.has(entry.name) && !prefixed(entry)) {
      const answer = decodeAnswer(decodeFunction(bytesOf(entry.query)).name, bytesOf(entry.answer!))
      expect(answer.ok).toBe(entry.answer_type !== 'liteServer.error')
    }
  })
})

describe('malformed bytes', () => {
  const good = bytesOf(entries.find((e) => e.answer_type === 'liteServer.partialBlockProof')!.answer!)

  test('every truncation of an answer is refused', () => {
    const shardInfo = bytesOf(entries.find((e) => e.answer_type === 'liteServer.blockTransactions')!.answer!)
    for (let length = 0; length < shardInfo.length; length++)
      expect(() => decodeObject(shardInfo.subarray(0, length)), `${length}`).toThrow(DecodeError)
  })

  test('trailing bytes are refused', () => {
    expect(() => decodeObject(Buffer.concat([good, Buffer.alloc(4)]))).toThrow(/4 trailing bytes/)
  })

  test('an unknown id is named', () => {
    expect(() => decodeFunction(bytesOf('efbeadde'))).toThrow(/unknown id deadbeef/)
    expect(() => decodeObjectAs('liteServer.version', good)).toThrow(/id 5a0491e5 expected, 8ed0d2c1 found/)
  })

  test('the error names the field', () => {
    expect(() => decodeObject(good.subarray(0, 40))).toThrow(
      /^liteServer\.partialBlockProof\.from\.rootHash: /,
    )
  })

  test('flipped bytes throw only DecodeError, and what decodes is encoded without loss', () => {
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const bytes = Buffer.from(good)
        bytes[at]! ^= mask
        try {
          const { name, value } = decodeObject(bytes)
          decodeObject(encodeObject(name, value))
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError)
        }
      }),
    )
  })
})
