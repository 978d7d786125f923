import { Builder, buildDict } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { isFundamental } from '../src/index.ts'

const [configAddress, elector, other] = [0x55, 0x33, 0x11].map((byte) => Buffer.alloc(32, byte)) as [
  Buffer,
  Buffer,
  Buffer,
]
const listed = buildDict([[BigInt(`0x${elector.toString('hex')}`), new Builder()]], 256)
const param = new Builder().storeMaybeRef(listed).endCell()
const rootWith = (index: number) => buildDict([[index, new Builder().storeRef(param)]], 32)!.slice()

test('fundamental are the configuration contract and those of the list, in the masterchain', () => {
  const config = { configAddress, root: rootWith(31) }
  const fundamental = (hash: Buffer, workchain = -1) => isFundamental(config, { workchain, hash })
  expect([configAddress, elector, other].map((hash) => fundamental(hash))).toEqual([true, true, false])
  expect(fundamental(elector, 0)).toBe(false)
  expect(isFundamental({ configAddress, root: rootWith(30) }, { workchain: -1, hash: elector })).toBe(false)
})
