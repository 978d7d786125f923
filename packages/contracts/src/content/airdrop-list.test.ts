import { Builder, buildDict, type Cell, serializeBoc } from '@shardwalk/cells'
import { mintlessEntry, randomFrom } from '@shardwalk/testkit'
import { testSeed } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { type AirdropItem, airdropItem, readAirdropList } from '../index.ts'

const random = randomFrom(testSeed())
const bytes = (length: number) => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)))

const listOf = (items: readonly AirdropItem[]): Cell => buildDict(items.map(mintlessEntry), 267) as Cell
const keyOf = (owner: AirdropItem['owner']) =>
  mintlessEntry({ owner, amount: 0n, startFrom: 0, expiredAt: 0 })[0]
const store = (item: AirdropItem) => mintlessEntry(item)[1]
const read = (list: Cell) => {
  const columns = readAirdropList(serializeBoc(list), list.hash())
  return {
    ...columns,
    items: Array.from({ length: columns.length }, (_, index) => airdropItem(columns, index)),
  }
}
const owner = (workchain: number) => ({ workchain, hash: bytes(32) })

test('every owner is read with amount and times, in key order', () => {
  const items: AirdropItem[] = Array.from({ length: 500 }, (_, i) => ({
    owner: owner(i % 7 === 0 ? -1 : 0),
    // Ranges up to the greatest amount that a wallet can hold and the greatest time.
    amount: i === 0 ? 2n ** 120n - 1n : BigInt(Math.floor(random() * 2 ** 50)) << BigInt(i % 60),
    startFrom: i === 1 ? 2 ** 48 - 1 : 1_700_000_000 + i,
    expiredAt: i === 2 ? 0 : 1_900_000_000 + i,
  }))
  const found = read(listOf(items))
  const byKey = [...items].sort((a, b) => Buffer.compare(keyOf(a.owner), keyOf(b.owner)))
  expect(found.items).toEqual(byKey)
  expect(found.skipped).toBe(0)
})

test('a list whose root hash is not that of the jetton is refused', () => {
  const list = listOf([{ owner: owner(0), amount: 1n, startFrom: 0, expiredAt: 0 }])
  expect(() => readAirdropList(serializeBoc(list), Buffer.alloc(32))).toThrow(/hash of the root/)
  expect(() => readAirdropList(Buffer.from('no bag of cells'), list.hash())).toThrow(/bag_of_cells/)
})

test('entries for non-standard addresses are skipped', () => {
  const good: AirdropItem = { owner: owner(0), amount: 5n, startFrom: 1, expiredAt: 2 }
  const anycast = Buffer.concat([Buffer.from([0b1010_0000]), bytes(33)])
  anycast[33]! &= 0xe0
  const entries = [
    [keyOf(good.owner), store(good)],
    [anycast, store(good)],
    [keyOf(owner(0)), store(good).storeUint(1, 1)],
    [keyOf(owner(0)), new Builder().storeCoins(5n)],
  ] as const
  const found = read(buildDict(entries, 267) as Cell)
  expect(found.items).toEqual([good])
  expect(found.skipped).toBe(3)
})

test('a few cells that describe a huge list are refused at once', () => {
  const label = new Builder().storeUint(0b00, 2)
  let edge = new Builder().storeUint(0b00, 2).storeCoins(1n).storeUint(0, 96).endCell()
  for (let bit = 0; bit < 267; bit++)
    edge = new Builder().storeBuilder(label).storeRef(edge).storeRef(edge).endCell()
  expect(() => read(edge)).toThrow(/repeat/)
})

test('files that are truncated or changed anywhere are refused', () => {
  const list = listOf(
    Array.from({ length: 20 }, () => ({ owner: owner(0), amount: 9n, startFrom: 3, expiredAt: 4 })),
  )
  const boc = serializeBoc(list)
  for (let run = 0; run < 300; run++) {
    const at = Math.floor(random() * boc.length)
    const bad = Buffer.from(boc)
    bad[at]! ^= 1 << Math.floor(random() * 8)
    for (const one of [boc.subarray(0, at), bad])
      try {
        const { length } = readAirdropList(one, list.hash())
        // Some header bits do not affect the decoded cells.
        expect(length).toBe(20)
      } catch (error) {
        expect(error).toMatchObject({ name: 'DecodeError' })
      }
  }
})
