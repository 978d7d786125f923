import { Builder, buildDict, type Cell, parseBoc, sliceToCell } from '@shardwalk/cells'
import { fixtureZerostate } from '@shardwalk/testkit'
import { loadMcStateExtra, loadShardState } from '@shardwalk/tlb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TvmEnvironment, TvmPool } from './index.ts'

const pool = new TvmPool({ threads: 1, timeoutMs: 30_000 })
afterAll(() => pool.close())
let good: TvmEnvironment
beforeAll(async () => {
  const { root, slice } = await zerostate()
  good = pool.environment({
    config: sliceToCell(loadMcStateExtra(loadShardState(slice(root)).custom!.loadRefSlice()).config.root),
  })
})
const zerostate = async () => {
  const bag = parseBoc(await fixtureZerostate())
  return { root: bag.root, slice: (at: number) => bag.slice(at) }
}

const address = { workchain: 0, hash: Buffer.alloc(32, 7) }
/** block.tlb `account_descr$_` of no account. */
const shardAccount = new Builder()
  .storeRef(new Builder().storeBit(false).endCell())
  .storeUint(0, 256)
  .storeUint(0, 64)
  .endCell()
/** block.tlb `int_msg_info$0` that does not bounce, with that many extra currencies. */
const message = (currencies: number): Cell =>
  new Builder()
    .storeUint(0b0100, 4)
    .storeAddress(address)
    .storeAddress(address)
    .storeCoins(5_000_000_000n)
    .storeMaybeRef(
      buildDict(
        Array.from({ length: currencies }, (_, id) => [id, new Builder().storeVarUint(1n, 5)] as const),
        32,
      ),
    )
    .storeUint(0, 4 + 4 + 64 + 32 + 2)
    .endCell()
const emulate = (environment: TvmEnvironment, currencies: number) =>
  pool.emulate({
    ...{ environment, shardAccount, message: message(currencies) },
    ...{ now: 1_800_000_000, lt: 1n, ignoreSignatures: false },
  })

test('a message that ends the executor is answered with words, and leaves other messages alone', async () => {
  const [crashed, other] = await Promise.all([emulate(good, 513), emulate(good, 512)])
  expect(crashed).toMatchObject({ ok: false, reason: 'crashed' })
  expect(crashed).toHaveProperty('message', expect.stringMatching(/^the executor ended with an exception/))
  expect(other).toMatchObject({ ok: true, accepted: true })
  // The configuration is not the reason.
  expect(await emulate(good, 1)).toMatchObject({ ok: true, accepted: true })
})

test('a configuration that the executor cannot read ends one thread, not one for each message', async () => {
  const bad = pool.environment({ config: new Builder().storeUint(1, 8).endCell() })
  const refused = { ok: false, reason: 'refused', message: expect.stringMatching(/configuration/) }
  expect(await emulate(bad, 1)).toMatchObject(refused)
  const { crashes } = pool.counters
  for (let again = 0; again < 3; again++) expect(await emulate(bad, 1)).toMatchObject(refused)
  expect(pool.counters.crashes).toBe(crashes)
  expect(await emulate(good, 1)).toMatchObject({ ok: true, accepted: true })
})
