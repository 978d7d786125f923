import type { ScratchDatabase } from '@shardwalk/testkit'
import {
  checksumsOfExamined,
  commitGroups,
  examinedChain,
  examinedEnd,
  inGroups,
  LATE_START,
  RecordedNetwork,
  recordedBatches,
  refreshAll,
} from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, expect, test } from 'vitest'

let network: RecordedNetwork
let scratch: ScratchDatabase
beforeAll(async () => {
  network = await RecordedNetwork.open()
  scratch = await examinedEnd()
})
afterAll(async () => {
  await network?.close()
  await scratch?.close()
})

const rowsOf = async (text: string, { pool }: ScratchDatabase = scratch) => (await pool.query(text)).rows

const NAMED = [
  ['jetton_wallets', 'jetton_id', 'jetton_masters'],
  ['nft_items', 'collection_id', 'nft_collections'],
  ['multisig_orders', 'multisig_id', 'multisig_wallets'],
] as const

test.each(NAMED)('from the middle of the chain on, %s.%s is one of %s', async (table, column, named) => {
  const rows = await rowsOf(`select distinct ${column} as id from ${table} where ${column} is not null`)
  const missing = await rowsOf(
    `select distinct t.${column} as id from ${table} t left join ${named} n on n.account_id = t.${column}
     where t.${column} is not null and n.account_id is null`,
  )
  expect({ table, missing }).toEqual({ table, missing: [] })
  if (table !== 'multisig_orders') expect(rows.length).toBeGreaterThan(0)
})

test('contracts that no indexed block touched are what they are in an index of the whole chain', async () => {
  const untouched = await rowsOf(
    `select s.account_id, a.workchain, a.address, s.lt, s.state_hash, s.last_trans_hash
     from latest_account_states s join accounts a on a.id = s.account_id where s.mc_seqno = 0 and s.lt > 0`,
  )
  expect(untouched.length).toBeGreaterThan(2)
  const whole = await examinedChain()
  try {
    for (const { workchain, address, ...row } of untouched) {
      const [found] = await rowsOf(
        `select s.account_id, s.lt, s.state_hash, s.last_trans_hash
         from latest_account_states s join accounts a on a.id = s.account_id
         where a.workchain = ${workchain} and a.address = '\\x${address.toString('hex')}'`,
        whole,
      )
      expect(row).toEqual(found)
    }
  } finally {
    await whole.close()
  }
})

test('views show no time and no block for them', async () => {
  const rows = await rowsOf(
    `select last_time, mc_block_seqno from analytics.accounts v
     join accounts a on analytics.address_text(a.workchain, a.address) = v.account
     join latest_account_states s on s.account_id = a.id where s.mc_seqno = 0 and s.lt > 0`,
  )
  expect(rows.length).toBeGreaterThan(2)
  for (const row of rows) expect(row).toEqual({ last_time: null, mc_block_seqno: null })
})

test('when the rest of the chain is indexed, the tables are those of the whole chain', async () => {
  await commitGroups(scratch, inGroups(await recordedBatches({ to: LATE_START - 1 }), 40))
  await refreshAll(network.refresher(scratch))
  const whole = await examinedChain()
  try {
    expect(await rowsOf('select from latest_account_states where mc_seqno = 0 and lt > 0')).toEqual([])
    expect(await checksumsOfExamined(scratch)).toEqual(await checksumsOfExamined(whole))
  } finally {
    await whole.close()
  }
})
