import { Builder, buildDict, type Cell } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { isSuspended, namesSuspended } from '../src/index.ts'

const ADDRESS = { workchain: -1, hash: Buffer.alloc(32, 7) }

const configOf = (param: Cell, index = 44) => ({
  root: buildDict([[index, new Builder().storeRef(param)]], 32)!.slice(),
})
const isSuspendedBy = (param: Cell) => isSuspended(configOf(param), ADDRESS, 100)

const listOf = (until: number) => {
  const key = Buffer.concat([Buffer.alloc(4, 0xff), ADDRESS.hash])
  const list = buildDict([[BigInt(`0x${key.toString('hex')}`), new Builder()]], 288)
  return new Builder().storeUint(0, 8).storeMaybeRef(list).storeUint(until, 32).endCell()
}

test('an account is suspended while the list that names it is in force', () => {
  expect([101, 100].map((until) => isSuspendedBy(listOf(until)))).toEqual([true, false])
})

test('a list of a form that is not known suspends no account', () => {
  const library = new Builder().storeUint(2, 8).storeUint(0, 256).endCell({ exotic: true })
  for (const param of [library, new Builder().endCell(), new Builder().storeUint(1, 8).endCell()]) {
    expect(isSuspendedBy(param)).toBe(false)
    expect([44, 43].map((index) => namesSuspended(configOf(param, index)))).toEqual([true, false])
  }
})
