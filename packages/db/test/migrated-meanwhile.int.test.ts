import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Examined,
  failMetadata,
  insertSentMessage,
  type MetadataTask,
  SchemaTooNew,
  saveMetadata,
  writeContracts,
} from '../src/index.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch?.close())

const ACCOUNT = 7n
const contract: Examined = {
  ...{ accountId: ACCOUNT, address: { workchain: 0, hash: Buffer.alloc(32, 7) }, queuedLt: 1n, requeues: 0 },
  ...{ lt: 1n, codeHash: Buffer.alloc(32, 1), dataHash: Buffer.alloc(32, 2), found: [], asked: [] },
}
const task = {
  ...{ accountId: ACCOUNT, address: contract.address, type: 'jetton_masters', attempts: 1 },
  ...{ sourceHash: Buffer.alloc(32) },
} as unknown as MetadataTask
const record = { name: 'a', extra: {} }

const WRITES: readonly (readonly [table: string, write: () => Promise<unknown>])[] = [
  ['contracts', () => writeContracts(scratch.pool, [contract])],
  ['address_metadata', () => saveMetadata(scratch.db, task, { record, lifetimeSeconds: 60 })],
  ['address_metadata', () => failMetadata(scratch.db, task, { fallback: record, againSeconds: 60 })],
  [
    'sent_messages',
    () => insertSentMessage(scratch.db, { hashNorm: Buffer.alloc(32, 3), boc: Buffer.alloc(8) }),
  ],
]

const count = async (table: string): Promise<number> =>
  (await scratch.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n

test.each(WRITES)(
  'what waits for a migration of %s by a newer version is not written afterwards',
  async (table, write) => {
    await scratch.pool.query(`truncate ${table}`)
    const migration = await scratch.pool.connect()
    try {
      await migration.query('begin')
      await migration.query(`lock table ${table} in access exclusive mode`)
      await migration.query(
        "insert into schema_migrations (name, timestamp) values ('29991231_future', 'now')",
      )
      const refused = expect(write()).rejects.toThrow(SchemaTooNew)
      await migration.query('commit')
      await refused
    } finally {
      migration.release()
      await scratch.pool.query("delete from schema_migrations where name = '29991231_future'")
    }
    expect(await count(table)).toBe(0)
    await write()
    expect(await count(table)).toBe(1)
  },
)
