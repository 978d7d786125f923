import { Builder, CELL, type Cell } from '@shardwalk/cells'
import type { TvmPool } from '@shardwalk/tvm'
import { expect, test } from 'vitest'
import type { Configuration } from '../blocks/configuration.ts'
import { VmEnvironments } from './vm-environments.ts'

const reference = (hash: Buffer): Cell =>
  new Builder().storeUint(CELL.library, 8).storeBytes(hash).endCell({ exotic: true })
const cellOf = (number: number, refs: readonly Cell[] = []): Cell =>
  refs.reduce((builder, ref) => builder.storeRef(ref), new Builder().storeUint(number, 32)).endCell()
const hashOf = (number: number): Buffer => Buffer.alloc(32, number)

/** Libraries by number, each with those that it refers to; answers come when `answer` is called. */
function setUp(libraries: ReadonlyMap<number, readonly number[]>) {
  const asked: number[] = []
  const waiting: (() => void)[] = []
  const library = async (hash: Buffer) => {
    const number = hash[0]!
    asked.push(number)
    await new Promise<void>((resolve) => waiting.push(resolve))
    const refs = libraries.get(number)
    return (
      refs &&
      cellOf(
        number,
        refs.map((ref) => reference(hashOf(ref))),
      )
    )
  }
  const configuration = { library } as unknown as Configuration
  const environments = new VmEnvironments({} as TvmPool, configuration)
  /** Answers what is being asked for; returns the numbers asked for since the last time. */
  const answer = async (): Promise<readonly number[]> => {
    await new Promise(setImmediate)
    const numbers = asked.splice(0)
    for (const resolve of waiting.splice(0)) resolve()
    return numbers
  }
  return { environments, answer }
}

test('libraries of one code are fetched a few at a time, then those that they refer to', async () => {
  const { environments, answer } = setUp(
    new Map([
      [1, [7, 2]],
      [2, []],
      [3, []],
      [5, [1]],
      [7, []],
    ]),
  )
  // Nobody has library 4.
  const refs = [1, 2, 3, 4].map((number) => reference(hashOf(number)))
  const added = environments.addLibrariesOf(
    cellOf(0, [...refs.slice(0, 3), cellOf(9, [refs[3]!, reference(hashOf(5))])]),
  )
  expect(await answer()).toEqual([1, 2, 3, 4])
  expect(await answer()).toEqual([5, 7])
  await added
  expect(await answer()).toEqual([])
})

test('no more libraries of one code are fetched than its runs may need', async () => {
  const chain = new Map(Array.from({ length: 40 }, (_, number) => [number + 1, [number + 2]]))
  const { environments, answer } = setUp(chain)
  const added = environments.addLibrariesOf(cellOf(0, [reference(hashOf(1))]))
  for (let number = 1; number <= 16; number++) expect(await answer()).toEqual([number])
  await added
  expect(await answer()).toEqual([])
})

test('a library that cannot be fetched now fails the whole, as soon as that is known', async () => {
  const configuration = {
    library: (hash: Buffer) =>
      hash[0] === 2 ? Promise.reject(new Error('deadline')) : new Promise<Cell>(() => {}),
  } as unknown as Configuration
  const code = cellOf(0, [reference(hashOf(1)), reference(hashOf(2))])
  await expect(new VmEnvironments({} as TvmPool, configuration).addLibrariesOf(code)).rejects.toThrow(
    'deadline',
  )
})
