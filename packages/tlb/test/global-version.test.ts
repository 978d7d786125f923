import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { configGlobalVersion } from '../src/index.ts'

const versionIn = (params: ReadonlyMap<number, Cell>) => {
  const entries = [...params].map(([index, cell]) => [index, new Builder().storeRef(cell)] as const)
  return configGlobalVersion({ root: buildDict(entries, 32)!.slice() })
}
const other = new Builder().storeUint(1, 8).endCell()

test('a network has the version that its configuration names, or none', () => {
  const version = new Builder().storeUint(0xc4, 8).storeUint(11, 32).storeUint(494, 64).endCell()
  expect(versionIn(new Map([[8, version]]))).toEqual({ version: 11, capabilities: 494n })
  expect(versionIn(new Map([[7, other]]))).toBeUndefined()
})

test.each([
  ['a newer constructor', new Builder().storeUint(0xc5, 8).storeUint(11, 32).endCell()],
  ['no constructor', new Builder().endCell()],
  ['a known constructor with less content', new Builder().storeUint(0xc4, 8).storeUint(11, 32).endCell()],
  ['an exotic cell', new Builder().storeUint(2, 8).storeUint(0, 256).endCell({ exotic: true })],
])('%s is that of a network in which every known change is in force', (_, cell) => {
  expect(versionIn(new Map([[8, cell]]))!.version).toBeGreaterThan(1_000)
})
