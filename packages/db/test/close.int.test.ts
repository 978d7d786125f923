import { createDb } from '@shardwalk/db'
import { scratchDatabase } from '@shardwalk/testkit'
import { expect, test } from 'vitest'

test.each(['pool', 'db', 'neither'] as const)(
  'a closed handle leaves no connection: %s was used',
  async (used) => {
    const scratch = await scratchDatabase()
    const handle = createDb({ url: scratch.url, applicationName: 'to be closed' })
    const open = async () =>
      (await scratch.pool.query("select 1 from pg_stat_activity where application_name = 'to be closed'"))
        .rowCount
    try {
      if (used === 'pool') await handle.pool.query('select 1')
      if (used === 'db') await handle.db.selectFrom('network').select('id').execute()
      expect(await open()).toBe(used === 'neither' ? 0 : 1)
    } finally {
      await handle.close()
    }
    try {
      // A server process ends a moment after its connection; a connection left to itself would stay for 10 s.
      await expect.poll(open, { timeout: 5_000 }).toBe(0)
      await expect(handle.pool.query('select 1')).rejects.toThrow()
      await handle.close()
    } finally {
      await scratch.close()
    }
  },
)
