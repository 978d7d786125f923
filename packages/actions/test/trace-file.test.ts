import { describe, expect, test } from 'vitest'
import { classifyTrace, parseTraceFile, readTraceFile, rowToJson } from '../src/index.ts'
import type { TraceFile } from '../src/trace-file.ts'
import { readTrace } from './fixture-files.ts'

const STAKE = 'rbzKlyNgAhDnQ15r4tremaPVl_xURNgmSJQSyhGLSX4'
const rowsOf = (text: string): string => {
  const { trace, facts } = parseTraceFile(text)
  return rowToJson(classifyTrace(trace, facts).actions)
}
const expected = rowsOf(JSON.stringify(readTrace(STAKE)))

// biome-ignore lint/suspicious/noExplicitAny: tests break members of any depth.
type Json = { [key: string]: any }
/** The changed file as text. */
const changed = (change: (file: Json) => void): string => {
  const file = structuredClone(readTrace(STAKE)) as unknown as Json
  change(file)
  return JSON.stringify(file)
}

describe('the same trace in other forms gives the same rows', () => {
  const QUANTITIES = /^(lt|start_lt|end_lt|created_lt|value|now|created_at|mc_block_seqno|compute_exit_code)$/

  test('quantities as numbers', () => {
    const text = JSON.stringify(readTrace(STAKE), (key, value) =>
      QUANTITIES.test(key) && typeof value === 'string' ? Number(value) : value,
    )
    expect(rowsOf(text)).toBe(expected)
  })

  test('numbers as texts, opcodes as signed numbers', () => {
    const text = JSON.stringify(readTrace(STAKE), (key, value) => {
      if (QUANTITIES.test(key) && typeof value === 'number') return String(value)
      return key === 'opcode' && value !== null ? Number(value) | 0 : value
    })
    expect(rowsOf(text)).toBe(expected)
  })

  test('addresses in lower case', () => {
    const text = JSON.stringify(readTrace(STAKE)).replace(/"(-1|0):[0-9A-F]{64}"/g, (address) =>
      address.toLowerCase(),
    )
    expect(rowsOf(text)).toBe(expected)
  })

  test('without members that are optional or can be derived', () => {
    const text = changed((file) => {
      const { trace_id, external_hash, mc_seqno_end } = file['trace']
      file['trace'] = { trace_id, external_hash, mc_seqno_end }
      for (const tx of file['transactions']) {
        for (const key of ['descr', 'total_fees', 'block_seqno', 'bounce']) delete tx[key]
        if (tx.aborted === false) delete tx.aborted
        for (const message of tx.messages)
          for (const key of Object.keys(message)) if (message[key] === null) delete message[key]
      }
    })
    expect(rowsOf(text)).toBe(expected)
  })

  test('with a byte order mark', () => {
    expect(rowsOf(`\ufeff${JSON.stringify(readTrace(STAKE))}`)).toBe(expected)
  })

  test('messages in any order', () => {
    const text = changed((file) => {
      for (const tx of file['transactions']) tx.messages.reverse()
    })
    expect(rowsOf(text)).toBe(expected)
  })
})

test('an integer that exceeds a double keeps its digits', () => {
  const value = '123456789012345678901'
  const text = changed((file) => (file['transactions'][0].messages[0].value = value)).replace(
    `"${value}"`,
    value,
  )
  const { trace } = parseTraceFile(text)
  expect(
    trace.transactions.flatMap((tx) => [tx.inMessage, ...tx.outMessages].map((message) => message?.value)),
  ).toContain(BigInt(value))
})

describe('errors name the place', () => {
  const failing = (change: (file: Json) => void) => () => parseTraceFile(changed(change))

  test.each<[string, (file: Json) => void, RegExp]>([
    ['another format', (file) => (file['format'] = 2), /^format 2, expected 1$/],
    ['no trace', (file) => delete file['trace'], /^trace: expected an object, found nothing$/],
    [
      'no transactions',
      (file) => delete file['transactions'],
      /^transactions: expected a list, found nothing$/,
    ],
    [
      'transactions that are none',
      (file) => (file['transactions'] = 7),
      /^transactions: expected a list, found 7$/,
    ],
    [
      'a transaction that is null',
      (file) => (file['transactions'][1] = null),
      /^transactions\[1\]: expected an object/,
    ],
    [
      'no lt',
      (file) => delete file['transactions'][0].lt,
      /^transactions\[0\]\.lt: expected an integer, found nothing$/,
    ],
    [
      'a lt that is none',
      (file) => (file['transactions'][0].lt = '12x'),
      /^transactions\[0\]\.lt: .* found "12x"$/,
    ],
    [
      'a broken value',
      (file) => (file['transactions'][1].messages[0].value = '1.5'),
      /^transactions\[1\]\.messages\[0\]\.value: expected an integer/,
    ],
    [
      'an address of another form',
      (file) => (file['transactions'][0].account = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c'),
      /^transactions\[0\]\.account: expected an address/,
    ],
    [
      'a body that is no base64',
      (file) => (file['transactions'][0].messages[0].body = '<xml>'),
      /^transactions\[0\]\.messages\[0\]\.body: expected base64/,
    ],
    [
      'an opcode of too many bits',
      (file) => (file['transactions'][0].messages[0].opcode = '0x100000000'),
      /32 bits/,
    ],
    [
      'a wallet without owner',
      (file) =>
        (file['interfaces'][`0:${'A'.repeat(64)}`] = { JettonWallet: { jetton: `0:${'B'.repeat(64)}` } }),
      /^interfaces\.0:A+\.JettonWallet\.owner: expected an address/,
    ],
    [
      'facts of no address',
      (file) => (file['interfaces']['ALICE'] = {}),
      /^interfaces: ALICE is no address$/,
    ],
  ])('%s', (_, change, message) => {
    expect(failing(change)).toThrow(message)
  })

  test('text that is not JSON', () => {
    expect(() => parseTraceFile('{"format": 1,')).toThrow(/^not JSON: /)
    expect(() => parseTraceFile('null')).toThrow(/^the file: expected an object, found null$/)
  })
})

test('a trace without transactions has no actions', () => {
  const empty: TraceFile = { format: 1, trace: { trace_id: 'x' }, transactions: [], interfaces: {} }
  const { trace, facts } = readTraceFile(empty)
  expect(classifyTrace(trace, facts)).toMatchObject({ state: 'ok', actions: [] })
})
