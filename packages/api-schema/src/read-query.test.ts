import type { RawAddress } from '@shardwalk/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  AccountStatesQuery,
  ActionsQuery,
  addressKey,
  addressKind,
  BlocksQuery,
  DnsRecordsQuery,
  formatFriendlyAddress,
  hashKind,
  InvalidQuery,
  JettonWalletsQuery,
  MessagesQuery,
  NftItemsQuery,
  opcodeKind,
  type Profile,
  parseAddress,
  parseQueryString,
  profileRules,
  type QuerySchema,
  REQUEST_SETTINGS,
  readQuery,
  shardKind,
  TransactionsQuery,
} from './index.ts'

const addresses = fc.record({
  workchain: fc.constantFrom(-1, 0),
  hash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
})

test('every form of an address is accepted; with one character changed it is rejected', () => {
  fc.assert(
    fc.property(addresses, fc.boolean(), fc.boolean(), fc.nat(47), (address, bounceable, testOnly, at) => {
      const friendly = formatFriendlyAddress(address, { bounceable, testOnly })
      const standard = friendly.replaceAll('-', '+').replaceAll('_', '/')
      const raw = addressKey(address)
      for (const text of [friendly, standard, raw, raw.toLowerCase()])
        expect(parseAddress(text)).toEqual(address)
      const other = friendly[at] === 'A' ? 'B' : 'A'
      expect(parseAddress(friendly.slice(0, at) + other + friendly.slice(at + 1))).toBeUndefined()
    }),
  )
})

test('an address in a workchain that the friendly form cannot name is written raw', () => {
  const hash = Buffer.alloc(32, 7)
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (workchain) => {
      const text = formatFriendlyAddress({ workchain, hash }, { bounceable: true, testOnly: false })
      expect(parseAddress(text)).toEqual({ workchain, hash })
      expect(text.includes(':')).toBe(workchain > 127 || workchain < -128)
    }),
    { examples: [[127], [128], [-128], [-129]] },
  )
})

test('a hash in which a plus became a space is accepted', () => {
  const text = 'ZlK0cqpM0DJM8PqqBZVA+BD+lfWxmdvSjOfjFcIaMmg='
  expect(hashKind.parse(text.replaceAll('+', ' '))).toEqual(hashKind.parse(text))
})

test('up to eight digits without 0x are hex', () => {
  expect(opcodeKind.parse('123')).toEqual({ value: 0x123 })
  expect(opcodeKind.parse('0xffffffff')).toEqual({ value: -1 })
  expect(opcodeKind.parse('4294967295')).toEqual({ value: -1 })
  expect(opcodeKind.parse('-1')).toEqual({ value: -1 })
  expect(opcodeKind.parse('4294967296')).toHaveProperty('problem')
})

test('a shard is read as hex first, then as signed decimal', () => {
  const full = { value: -(2n ** 63n) }
  for (const text of ['8000000000000000', '0x8000000000000000', '-9223372036854775808'])
    expect(shardKind.parse(text)).toEqual(full)
})

test('an address that is given twice, in two forms, counts as one', () => {
  const address = { workchain: 0, hash: Buffer.alloc(32, 7) }
  const forms = [addressKey(address), formatFriendlyAddress(address, { bounceable: true, testOnly: false })]
  const other = addressKey({ ...address, workchain: -1 })
  const read = (schema: QuerySchema, values: Readonly<Record<string, readonly string[]>>) =>
    readQuery(schema, new Map(Object.entries(values)), { rules: profileRules('standard'), alsoKnown: [] })
  for (const [schema, name] of [
    [JettonWalletsQuery, 'jetton_address'],
    [NftItemsQuery, 'collection_address'],
  ] as const) {
    read(schema, { [name]: forms })
    read(schema, { [name]: [...forms, other], owner_address: forms })
    expect(() => read(schema, { [name]: [...forms, other] })).toThrow(InvalidQuery)
  }
})

test('an empty type of action is refused; in toncenter it does not filter', () => {
  const read = (text: string, profile: Profile) =>
    readQuery(ActionsQuery, parseQueryString(text), { rules: profileRules(profile), alsoKnown: [] }).value
  for (const name of ['action_type', 'exclude_action_type'] as const) {
    expect(() => read(`${name}=`, 'standard')).toThrow(InvalidQuery)
    expect(read(`${name}=`, 'toncenter')[name]).toBeUndefined()
    expect(read(`${name}=&${name}=ton_transfer`, 'toncenter')[name]).toEqual(['ton_transfer'])
  }
})

test('the last of several scalars is used; lists may be repeated, bracketed or separated by commas', () => {
  const one = `0:${'11'.repeat(32)}`
  const two = `0:${'22'.repeat(32)}`
  const read = (text: string) =>
    readQuery(TransactionsQuery, parseQueryString(text), { rules: profileRules('standard'), alsoKnown: [] })
      .value
  expect(read('limit=5&limit=7').limit).toBe(7)
  for (const text of [
    `account=${one}&account=${two}`,
    `account[]=${one}&account[]=${two}`,
    `account%5B0%5D=${one}&account%5B1%5D=${two}`,
    `account=${one},${two}`,
  ])
    expect(read(text).account?.map(addressKey)).toEqual([one, two])
  expect(read('limit=&sort=')).toMatchObject({ limit: 10, sort: 'desc' })
  expect(() => read('account=')).toThrow(InvalidQuery)
  expect(addressKind.parse('')).toHaveProperty('problem')
})

test('space around an address is ignored; within it, and as its last character, it is a plus', () => {
  const raw = `0:${'11'.repeat(32)}`
  for (const text of [` ${raw}`, `${raw}\n`, `\t${raw} `]) {
    const { account } = readAs('standard', TransactionsQuery, `account=${encodeURIComponent(text)}`)
    expect((account as RawAddress[]).map(addressKey)).toEqual([raw])
  }
  const last = 'EQCiM1shzVDmPLtm85WDvUmWPk4yQK9E0QWT8MfvBFD+qTn+'
  const within = 'EQD1X/FvZvQzYCZrldtvj+wB12AxBUMGrkpLOAWY9s/RFN22'
  for (const text of [last, within, ` ${within} `])
    expect(addressKind.parse(text.replaceAll('+', ' '))).toEqual({ value: parseAddress(text.trim()) })
  expect(addressKind.parse(`${raw} ${raw}`)).toHaveProperty('problem')
})

test('a message without sender is found by null and by what address books call it', () => {
  for (const none of ['null', 'addr_none'])
    expect(readAs('standard', MessagesQuery, `source=${none}`)).toMatchObject({ source: null })
  expect(() => readAs('standard', MessagesQuery, 'source=none')).toThrow(InvalidQuery)
  expect(() => readAs('standard', TransactionsQuery, 'account=addr_none')).toThrow(InvalidQuery)
})

const readAs = (profile: Profile, schema: QuerySchema, text: string, defaultLimit?: number) =>
  readQuery(schema, parseQueryString(text), { rules: profileRules(profile), alsoKnown: [], defaultLimit })
    .value

test.each([
  ['include_boc', AccountStatesQuery, false, `address=0:${'11'.repeat(32)}&`],
  ['exclude_externals', MessagesQuery, false, ''],
  ['workchain', BlocksQuery, 0, ''],
  ['seqno', BlocksQuery, 0, ''],
  ['mc_seqno', BlocksQuery, 0, ''],
  ['start_lt', TransactionsQuery, 0n, ''],
  ['lt', TransactionsQuery, 0n, ''],
])('in toncenter an empty number is zero, an empty boolean false: %s', (name, schema, zero, others) => {
  expect(readAs('toncenter', schema, `${others}${name}=`)[name]).toBe(zero)
  expect(readAs('toncenter', schema, `${others}${name}=1&${name}=`)[name]).toBe(zero)
  expect(() => readAs('standard', schema, `${others}${name}=`)).toThrow(InvalidQuery)
})

test('a parameter against caches has no effect in either profile', () => {
  const raw = parseQueryString('limit=5&_=1790000000000')
  for (const profile of ['standard', 'toncenter'] as const) {
    const options = { rules: profileRules(profile), alsoKnown: REQUEST_SETTINGS }
    expect(readQuery(BlocksQuery, raw, options)).toMatchObject({ value: { limit: 5 }, ignored: [] })
  }
})

test('in toncenter names match in any letter case, so that no filter is left out', () => {
  const address = `0:${'11'.repeat(32)}`
  const raw = parseQueryString(`Account=${address}&account=${address}&LIMIT=7&Acount=x`)
  const read = (profile: Profile) =>
    readQuery(TransactionsQuery, raw, { rules: profileRules(profile), alsoKnown: [] })
  const { value, ignored } = read('toncenter')
  expect(value.account?.map(addressKey)).toEqual([address, address])
  expect(value.limit).toBe(7)
  expect(ignored).toEqual(['Acount'])
  expect(() => read('standard')).toThrow('unknown parameter "Account"; did you mean "account"?')
})

test('an empty hash or time is refused in either profile', () => {
  for (const profile of ['standard', 'toncenter'] as const)
    for (const text of ['root_hash=', 'start_utime='])
      expect(() => readAs(profile, BlocksQuery, text)).toThrow(InvalidQuery)
})

test('an empty limit is no limit: the default that is set; in toncenter it is 1', () => {
  expect(readAs('standard', BlocksQuery, 'limit=', 50)).toMatchObject({ limit: 50 })
  expect(readAs('standard', BlocksQuery, 'limit=7&limit=', 50)).toMatchObject({ limit: 50 })
  expect(readAs('standard', BlocksQuery, '', 50)).toMatchObject({ limit: 50 })
  expect(readAs('standard', BlocksQuery, 'limit=7', 50)).toMatchObject({ limit: 7 })
  expect(readAs('toncenter', BlocksQuery, 'limit=', 50)).toMatchObject({ limit: 1 })
  expect(readAs('standard', DnsRecordsQuery, 'domain=a.ton&limit=', 50)).toMatchObject({ limit: 100 })
})
