import { Builder, buildDict, forEachLeaf, parseBoc } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { storedConfig } from './stored-config.ts'

test('of a configuration what getters and the API read is stored, nothing else', () => {
  const value = new Builder().storeRef(new Builder().storeUint(1, 8).endCell())
  const config = buildDict(
    [8, 19, 20, 34, 43, 44, 71].map((index) => [index, value] as const),
    32,
  )!
  const bag = parseBoc(storedConfig(config))
  const stored: number[] = []
  forEachLeaf(bag.slice(bag.root), 32, (_, key) => {
    stored.push(Number(key.toBigInt()))
  })
  expect(stored).toEqual([8, 19, 20, 43, 44])
})
