import { Builder } from '@shardwalk/cells'
import type { BlockId } from '@shardwalk/model'
import type { TvmPool } from '@shardwalk/tvm'
import { expect, test } from 'vitest'
import type { AccountSnapshot } from '../accounts/account-snapshot.ts'
import type { Configuration } from '../blocks/configuration.ts'
import { GetMethods, type GetMethodsOptions } from './get-methods.ts'

const CELL = new Builder().storeUint(7, 8).endCell()
const LIBRARY = Buffer.alloc(32, 5)
const BLOCK: BlockId = {
  ...{ workchain: -1, shard: -(2n ** 63n), seqno: 5 },
  ...{ rootHash: Buffer.alloc(32, 1), fileHash: Buffer.alloc(32, 2) },
}

/** A thread that runs one call at a time; code needs a library, which nobody has at first. */
function options({ isPublished = true } = {}) {
  const stackBoc = Buffer.alloc(0)
  let running: Promise<unknown> = Promise.resolve()
  let runs = 0
  const run = (hasLibrary: boolean) => {
    runs++
    return hasLibrary
      ? { ok: true, exitCode: 0, gasUsed: 1, stackBoc }
      : { ok: true, exitCode: 9, gasUsed: 1, stackBoc, missingLibrary: LIBRARY }
  }
  const tvm = {
    environment: ({ libraries }: { libraries?: unknown }) => ({ hasLibrary: libraries !== undefined }),
    runRaw({ environment }: { environment: { hasLibrary: boolean } }) {
      const result = running.then(() => run(environment.hasLibrary))
      running = result
      return result
    },
  } as unknown as TvmPool
  const configuration = {
    epoch: async () => 1,
    at: async () => ({ root: CELL.slice() }),
    library: async () => (isPublished ? CELL : undefined),
  } as unknown as Configuration
  const heads = { newest: async () => BLOCK } as unknown as GetMethodsOptions['heads']
  return { methods: new GetMethods({ tvm, untrustedTvm: tvm, heads, configuration }), runs: () => runs }
}

const accountOf = (n: number) =>
  ({
    address: { workchain: 0, hash: Buffer.alloc(32, n) },
    ...{ block: BLOCK, utime: 1, balance: 1n, code: CELL, data: CELL },
  }) as unknown as AccountSnapshot

test('of calls at once that all miss one library none answers without it', async () => {
  const { methods } = options()
  const accounts = [1, 2, 3, 4, 5, 6].map(accountOf)
  const results = await Promise.all(
    accounts.map((account) => methods.runRaw({ account, method: 'get_wallet_data' })),
  )
  expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0, 0])
})

test('without a library that nobody has published the run counts as it is', async () => {
  const { methods, runs } = options({ isPublished: false })
  const result = await methods.runRaw({ account: accountOf(1), method: 'get_wallet_data' })
  expect([result.exitCode, runs()]).toEqual([9, 1])
})
