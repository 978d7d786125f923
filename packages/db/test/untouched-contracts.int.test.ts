import { examinedEnd, RecordedNetwork, refreshAll } from '@shardwalk/testkit/refresh-chain'
import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { up } from '../src/migrations/20261129010000_untouched_contracts.ts'

const UNTOUCHED = 'select account_id from latest_account_states where mc_seqno = 0 and lt > 0'
const ROLES = [
  ['jetton_wallets', 'jetton_id', 'jetton_masters'],
  ['nft_items', 'collection_id', 'nft_collections'],
  ['multisig_orders', 'multisig_id', 'multisig_wallets'],
] as const

test('a database without the contracts that no indexed block touched gets them', async () => {
  const network = await RecordedNetwork.open()
  const scratch = await examinedEnd()
  try {
    const read = async (text: string) => (await scratch.pool.query(text)).rows
    const ids = (await read(UNTOUCHED)).map(({ account_id }) => account_id)
    expect(ids.length).toBeGreaterThan(2)
    for (const table of [...ROLES.map(([, , named]) => named), 'contracts', 'latest_account_states'])
      await scratch.pool.query(`delete from ${table} where account_id = any ($1)`, [ids])
    await scratch.db.transaction().execute((db) => up(db as unknown as Kysely<unknown>))
    await refreshAll(network.refresher(scratch))
    expect((await read(UNTOUCHED)).map(({ account_id }) => account_id).sort()).toEqual(ids.sort())
    for (const [table, column, named] of ROLES)
      expect(
        await read(
          `select ${column} from ${table} where ${column} is not null
           except select account_id from ${named}`,
        ),
      ).toEqual([])
  } finally {
    await scratch.close()
    await network.close()
  }
})
