import { Builder, buildDict, type Cell, EMPTY_CELL, lookup } from '@shardwalk/cells'
import { masterchainId } from '@shardwalk/model'
import { TvmPool } from '@shardwalk/tvm'
import { afterAll, expect, test } from 'vitest'
import type { AccountSnapshot } from '../accounts/account-snapshot.ts'
import type { Configuration } from '../blocks/configuration.ts'
import { GetMethods, type GetMethodsOptions } from './get-methods.ts'

const tvm = new TvmPool({ threads: 1, timeoutMs: 30_000 })
afterAll(() => tvm.close())

const PARAMETER = new Builder().storeUint(5, 8).endCell()
const VERSION = new Builder().storeUint(0xc4, 8).storeUint(12, 32).storeUint(494, 64).endCell()
const CONFIG = buildDict(
  [
    [8n, new Builder().storeRef(VERSION)],
    [79n, new Builder().storeRef(PARAMETER)],
  ],
  32,
) as Cell
const BLOCK = { ...masterchainId(5), rootHash: Buffer.alloc(32, 1), fileHash: Buffer.alloc(32, 2) }
const configuration = {
  epoch: async () => 1,
  at: async () => ({ root: CONFIG.slice() }),
  // c7 has them too.
  previousBlocks: async () => ({ last: [BLOCK], key: BLOCK }),
}
const methods = new GetMethods({
  ...{ tvm, untrustedTvm: tvm },
  configuration: configuration as unknown as Configuration,
  heads: { newest: async () => BLOCK } as unknown as GetMethodsOptions['heads'],
})

test.each([
  ['CONFIGOPTPARAM', '30804ff833'],
  ['CONFIGPARAM', '30804ff832'],
  ['CONFIGROOT', '30f829'],
  ['CONFIGDICT', '30f830'],
  ['GETPARAMLONG 9', '30f88109'],
  // PUSH c7; INDEX 0; INDEX 9
  ['c7', '30ed476f106f19'],
])('a get-method that reads the configuration by %s gets all of it', async (_name, hex) => {
  const code = new Builder().storeBytes(Buffer.from(hex, 'hex')).endCell()
  const account = {
    // One of its own: results are kept by account.
    address: { workchain: 0, hash: Buffer.concat([Buffer.from(hex, 'hex')], 32) },
    ...{ block: BLOCK, utime: 1, balance: 1n, code, data: EMPTY_CELL },
  } as unknown as AccountSnapshot
  const { stack } = await methods.run({ account, method: 'get_jetton_data', args: [], isSlim: true })
  const value = stack.find(({ type }) => type === 'cell')
  const cell = value?.type === 'cell' ? value.cell : undefined
  const found = cell?.refs.length ? lookup(cell.slice(), 32, 79)?.loadRefCell() : cell
  expect(found?.hash()).toEqual(PARAMETER.hash())
})
