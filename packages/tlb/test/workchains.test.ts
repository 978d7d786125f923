import { Builder, buildDict, prunedBranch } from '@shardwalk/cells'
import { FULL_SHARD } from '@shardwalk/model'
import { expect, test } from 'vitest'
import { workchainZerostates } from '../src/index.ts'

interface Described {
  readonly tag?: number
  readonly since?: number
  readonly isActive?: boolean
}

const rootHash = Buffer.alloc(32, 1)
const fileHash = Buffer.alloc(32, 2)

/** block.tlb `workchain#a6`, as far as it is read. */
const description = ({ tag = 0xa6, since = 0, isActive = true }: Described) =>
  new Builder()
    .storeUint(tag, 8)
    .storeUint(since, 32)
    .storeUint(0x00_00_3c, 24)
    .storeBit(true)
    .storeBit(isActive)
    .storeUint(0x2000, 14)
    .storeBytes(rootHash)
    .storeBytes(fileHash)

function configOf(workchains: Readonly<Record<number, Described>>) {
  const entries = Object.entries(workchains).map(
    ([workchain, described]) => [Number(workchain) >>> 0, description(described)] as const,
  )
  const param = new Builder().storeMaybeRef(buildDict(entries, 32)).endCell()
  return { root: buildDict([[12, new Builder().storeRef(param)]], 32)!.slice() }
}

test('the zerostates of all workchains that have begun are known', () => {
  const workchains = { 0: {}, 1: { tag: 0xa7 }, [-5]: { since: 100 } }
  const found = workchainZerostates(configOf(workchains), 100)
  expect(found).toEqual(
    [0, 1, -5].map((workchain) => ({ workchain, shard: FULL_SHARD, seqno: 0, rootHash, fileHash })),
  )
})

test('a workchain that begins later, is not active or of an unknown kind has none yet', () => {
  const workchains = { 1: { since: 101 }, 2: { isActive: false }, 3: { tag: 0xa8 }, 4: {} }
  const found = workchainZerostates(configOf(workchains), 100)
  expect(found.map(({ workchain }) => workchain)).toEqual([4])
  expect(workchainZerostates(configOf({}), 100)).toEqual([])
})

test('a description that cannot be read hides no other, and a parameter that cannot names none', () => {
  const short = new Builder().storeUint(0xa6, 8)
  const entries = [1, 2].map((workchain) => [workchain, workchain === 1 ? short : description({})] as const)
  const paramOf = (param: Builder) =>
    workchainZerostates(
      { root: buildDict([[12, new Builder().storeRef(param.endCell())]], 32)!.slice() },
      100,
    )
  const found = paramOf(new Builder().storeMaybeRef(buildDict(entries, 32)))
  expect(found.map(({ workchain }) => workchain)).toEqual([2])
  for (const other of [new Builder(), new Builder().storeBit(true), new Builder().storeUint(0b10, 2)])
    expect(paramOf(other)).toEqual([])
  const hidden = buildDict([[12, new Builder().storeRef(prunedBranch(new Builder().endCell(), 1))]], 32)!
  expect(() => workchainZerostates({ root: hidden.slice() }, 100)).toThrow(/is pruned here/)
})
