import { BASECHAIN, MASTERCHAIN } from '@shardwalk/model'
import { scratchDatabase } from '@shardwalk/testkit'
import { commitGroups, RecordedNetwork, recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { expect, test } from 'vitest'
import { ContractEnvironment } from '../src/environment.ts'
import { liteServerStates, openTvm } from '../src/index.ts'
import { StateLoader } from '../src/state-loader.ts'

test('an account of a workchain without shards, which any contract can name, does not exist', async () => {
  const scratch = await scratchDatabase()
  const network = await RecordedNetwork.open()
  const pool = openTvm(1)
  try {
    await commitGroups(scratch, [await recordedBatches({ to: 3 })])
    const { db } = scratch
    const states = liteServerStates(network.pool)
    const environment = new ContractEnvironment({ db, source: network.source, states, pool })
    await environment.update()
    const loader = new StateLoader({ db, states, environment })
    const hash = Buffer.alloc(32, 7)
    for (const workchain of [5, -2, 127, BASECHAIN, MASTERCHAIN])
      expect(await loader.load({ workchain, hash }), String(workchain)).toEqual({ lt: 0n })
    expect(loader.fetched).toBe(2)
  } finally {
    await pool.close()
    await network.close()
    await scratch.close()
  }
})
