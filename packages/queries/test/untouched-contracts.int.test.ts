import type { AccountId } from '@shardwalk/model'
import type { ScratchDatabase } from '@shardwalk/testkit'
import {
  commitGroups,
  examinedEnd,
  LATE_START,
  RecordedNetwork,
  recordedBatches,
  refreshAll,
} from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findJettonOrigin, findPastBlock, type PastBlock, readJettonsAt } from '../src/balances/index.ts'

/** Blocks 41 to 299 are a gap. Masters that only blocks of it touched are as lite servers have them. */
const [FIRST_PART, LAST] = [40, 529]

let network: RecordedNetwork
let scratch: ScratchDatabase
let before: PastBlock
let newest: PastBlock
beforeAll(async () => {
  network = await RecordedNetwork.open()
  scratch = await examinedEnd()
  await commitGroups(scratch, [await recordedBatches({ to: FIRST_PART })])
  await refreshAll(network.refresher(scratch))
  before = (await findPastBlock(scratch.db, FIRST_PART))!
  newest = (await findPastBlock(scratch.db, LAST))!
})
afterAll(async () => {
  await network?.close()
  await scratch?.close()
})

interface Touched {
  readonly id: AccountId
  readonly owner: AccountId
  readonly jetton: AccountId
}

test('the supply of a master that a gap touched is known after the gap, not before', async () => {
  const { rows } = await scratch.pool.query<Touched>(
    `select m.account_id as id from jetton_masters m join latest_account_states s using (account_id)
     where s.mc_seqno = 0 and s.lt > $1`,
    [before.end_lt],
  )
  expect(rows.length).toBeGreaterThan(0)
  for (const { id } of rows) {
    expect((await findJettonOrigin(scratch.db, id, newest)).total_supply).not.toBeNull()
    expect((await findJettonOrigin(scratch.db, id, before)).total_supply).toBeNull()
  }
})

test('nor is the balance of a wallet that is a master too', async () => {
  const { rows } = await scratch.pool.query<Touched>(
    `select w.account_id as id, w.owner_id as owner, w.jetton_id as jetton
     from jetton_wallets w join latest_account_states s on s.account_id = w.account_id and s.lt = w.lt
     where s.mc_seqno >= $1 limit 1`,
    [LATE_START],
  )
  const { id, owner, jetton } = rows[0]!
  const asked = () => readJettonsAt(scratch.db, { ownerIds: [owner], jettonIds: [jetton] }, before)
  const expected = await asked()
  // As if no indexed block had touched it.
  await scratch.pool.query('update latest_account_states set mc_seqno = 0 where account_id = $1', [id])
  expect(await asked()).toEqual(expected)
})
