import { formatFriendlyAddress } from '@shardwalk/cells'
import { describe, expect, test } from 'vitest'
import { parseExactJson } from './exact-json.ts'
import { normalizedAddress, parseV2Hash } from './kinds.ts'
import { V2_METHODS } from './methods.ts'
import { toJsonText } from './objects.ts'
import { readV2Body, readV2Query } from './parameters.ts'
import { V2Refusal } from './refusal.ts'

/** Public vectors of TON Center. */
const RAW = '0:83dfd552e63729b472fcbcc8c45ebcc6691702558b68ec7527e1ba403a0f31a8'
const BOUNCEABLE = 'EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N'
const NON_BOUNCEABLE = 'UQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqEBI'
const TEST_ONLY = 'kQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqKYH'
const HASH = '08f504e165de1094fe0f0cf57d8feb92b796bd89ec3addc8e388b51b9a2324f3'

const query = (text: Record<string, string>) =>
  new Map(Object.entries(text).map(([name, value]) => [name, [value]]))
const address = (text: string) =>
  readV2Query(V2_METHODS.packAddress.parameters, query({ address: text })).address
const refusal = (read: () => unknown): string => {
  try {
    read()
  } catch (error) {
    if (error instanceof V2Refusal) return error.text('get')
    throw error
  }
  return 'accepted'
}

describe('addresses', () => {
  test.each([
    [RAW, RAW.toUpperCase(), true, false],
    [BOUNCEABLE, BOUNCEABLE, true, false],
    [NON_BOUNCEABLE, NON_BOUNCEABLE, false, false],
    [TEST_ONLY, TEST_ONLY, true, true],
  ])('%s keeps its form and its flags', (text, normal, bounceable, testOnly) => {
    const read = address(text)
    expect(read).toMatchObject({ workchain: 0, bounceable, testOnly })
    expect(normalizedAddress(read)).toBe(normal)
    expect(formatFriendlyAddress(read, { bounceable: true, testOnly: false })).toBe(BOUNCEABLE)
  })

  test.each(['not_an_address', RAW.slice(2), `${BOUNCEABLE.slice(0, 47)}A`, RAW.slice(0, -1), ` ${RAW}`])(
    '"%s" is not an address',
    (text) => {
      expect(refusal(() => address(text))).toBe(
        `failed to parse get request: Failed to parse ton_addr: '${text}'`,
      )
    },
  )

  test('an empty or missing address is reported as such', () => {
    expect(refusal(() => address(''))).toBe('failed to validate request: empty address')
    const { parameters } = V2_METHODS.getAddressBalance
    expect(refusal(() => readV2Query(parameters, new Map()))).toBe(
      'failed to validate request: empty address',
    )
  })
})

test('the length of a hash decides its form', () => {
  const bytes = Buffer.from(HASH, 'hex')
  const base64 = bytes.toString('base64')
  for (const text of [
    HASH,
    HASH.toUpperCase(),
    base64,
    bytes.toString('base64url'),
    `${bytes.toString('base64url')}=`,
  ])
    expect(parseV2Hash(text)).toEqual(bytes)
  for (const text of [base64.slice(0, 43), `${base64}=`, 'not a hash', '', HASH.slice(1)])
    expect(parseV2Hash(text)).toBeUndefined()
})

describe('bodies', () => {
  const { parameters } = V2_METHODS.getTransactions

  test('numbers may be strings, null is absent, defaults are filled in', () => {
    const read = readV2Body(parameters, { address: RAW, limit: '5', lt: 7, hash: null, '@extra': 'x' })
    expect(read).toMatchObject({ limit: 5n, lt: 7n, hash: undefined, to_lt: 0n, archival: false })
  })

  test('reject unknown and missing members', () => {
    expect(refusal(() => readV2Body(parameters, { address: RAW, foo: 1 }))).toMatch(/Unknown property 'foo'/)
    expect(refusal(() => readV2Body(parameters, {}))).toMatch(/'address': Field is missing/)
    expect(refusal(() => readV2Body(parameters, { address: RAW, toString: 1 } as never))).toMatch(
      /Unknown property/,
    )
  })

  test('bounds are reported in the documented words', () => {
    const limit = (value: number) => refusal(() => readV2Body(parameters, { address: RAW, limit: value }))
    expect(limit(0)).toMatch(/limit should be positive$/)
    expect(limit(1001)).toMatch(/limit should be less or equal 1000$/)
    expect(limit(1.5)).toMatch(/failed to parse limit/)
  })
})

describe('exact JSON', () => {
  test('keeps integers beyond 2^53, both ways', () => {
    const text = '{"lt":18446744073709551615,"shard":-9223372036854775808,"a":[1,2.5,"x",null,true]}'
    const value = parseExactJson(text)
    expect(value).toMatchObject({ lt: 18446744073709551615n, shard: -9223372036854775808n })
    expect(toJsonText(value)).toBe(text)
  })

  test('is refused if JSON.parse refuses it', () => {
    for (const text of [
      '',
      '{',
      '[1,]',
      '{"a":}',
      '01',
      '+1',
      '.5',
      "'a'",
      '{a:1}',
      '[1] 2',
      'nul',
      '"\n"',
      '\ufeff1',
    ])
      expect(() => parseExactJson(text), text).toThrow(SyntaxError)
  })

  test('cannot set prototypes', () => {
    const value = parseExactJson('{"__proto__":{"polluted":1}}') as Record<string, unknown>
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
  })

  test('is bounded in depth', () => {
    expect(() => parseExactJson(`${'['.repeat(2000)}${']'.repeat(2000)}`)).not.toThrow()
    expect(() => parseExactJson('['.repeat(100_000))).toThrow(SyntaxError)
  })
})
