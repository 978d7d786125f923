import { parseAddress } from '@shardwalk/api-schema'
import { formatRawAddress } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { friendlyOf } from '../frame/paths.ts'
import { alikeAddresses } from './alike-addresses.ts'
import type { Names } from './replies.ts'

const namesOf = (...raws: readonly string[]) =>
  ({
    address_book: Object.fromEntries(raws.map((raw) => [raw, {}])),
    metadata: {},
    testOnly: false,
  }) as unknown as Names

const RAW = `0:${'AB'.repeat(32)}`

test('addresses with the same ends are found, others are not', () => {
  const ends = (raw: string) => friendlyOf(raw, { testOnly: false })
  const target = ends(RAW)
  // The end contains the last byte and the checksum: a search, as one who deceives does it.
  let alike: string | undefined
  for (let n = 0; alike === undefined; n++) {
    const raw = `0:ABABABAB${n.toString(16).toUpperCase().padStart(8, '0')}${'AB'.repeat(24)}`
    if (raw !== RAW && ends(raw).slice(-4) === target.slice(-4)) alike = raw
  }
  expect(formatRawAddress(parseAddress(alike)!)).toBe(alike)
  expect(alikeAddresses(namesOf(RAW, `0:${'CD'.repeat(32)}`, alike))).toEqual([target, ends(alike)])
  expect(alikeAddresses(namesOf(RAW, `0:${'CD'.repeat(32)}`))).toBeUndefined()
})
