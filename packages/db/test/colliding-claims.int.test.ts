import { deriveAccountId, type RawAddress } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Examined, writeContracts } from '../src/index.ts'

/** The same contract in two workchains: their ids collide, as those of generated addresses may. */
const HASH = Buffer.alloc(32, 0x5a)
const [FIRST, SECOND] = [0, 5].map((workchain): RawAddress => ({ workchain, hash: HASH }))
const WALLET: RawAddress = { workchain: 0, hash: Buffer.alloc(32, 0x11) }
const IDS = new Map([FIRST!, SECOND!, WALLET].map((one, at) => [one, deriveAccountId(one) + BigInt(at % 2)]))

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
  for (const [{ workchain, hash }, id] of IDS) {
    await scratch.pool.query(
      "insert into accounts (id, workchain, address, activity) values ($1, $2, $3, '')",
      [id, workchain, hash],
    )
    await scratch.pool.query(
      `insert into latest_account_states
         (account_id, lt, balance, mc_seqno, timestamp, status, state_hash, last_trans_hash)
       values ($1, 10, 1, 1, 1, 2, $2, $2)`,
      [id, HASH],
    )
  }
})
afterAll(() => scratch?.close())

const examined = (address: RawAddress, of: Partial<Examined>): Examined => ({
  ...{ accountId: IDS.get(address)!, address, queuedLt: 10n, requeues: 0, lt: 10n, found: [], asked: [] },
  ...{ codeHash: Buffer.alloc(32, 1), dataHash: null },
  ...of,
})
const change = (address: RawAddress, code: number) =>
  writeContracts(scratch.pool, [examined(address, { codeHash: Buffer.alloc(32, code) })])

async function confirmationHash(address: RawAddress): Promise<string> {
  const { rows } = await scratch.pool.query('select confirmation_hash from contracts where account_id = $1', [
    IDS.get(address),
  ])
  return rows[0].confirmation_hash
}
const queued = async () => (await scratch.pool.query('select account_id from refresh_queue')).rowCount

test('a contract is examined again if the one it names changes, not one with a colliding id', async () => {
  await change(FIRST!, 1)
  await change(SECOND!, 2)
  const asked = [{ address: SECOND!, lt: 10n, confirmationHash: await confirmationHash(SECOND!) }]
  await writeContracts(scratch.pool, [examined(WALLET, { asked })])
  expect(await queued()).toBe(0)
  await change(FIRST!, 3)
  expect(await queued()).toBe(0)
  await change(SECOND!, 4)
  expect(await queued()).toBe(1)
})
