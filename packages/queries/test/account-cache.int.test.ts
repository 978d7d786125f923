import type { Db } from '@shardwalk/db'
import { deriveAccountId, formatRawAddress, type RawAddress } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AccountCache } from '../src/index.ts'
import { insertRows } from './model/insert-rows.ts'

const addressEndingIn = (end: number): RawAddress => {
  const hash = Buffer.alloc(32, 0x5a)
  hash[31] = end
  return { workchain: 0, hash }
}
// All have the same 63 bits, from which ids are derived.
const [FIRST, SECOND, STRANGER] = [addressEndingIn(1), addressEndingIn(2), addressEndingIn(3)]
const ID = deriveAccountId(FIRST)

const NONE = Buffer.alloc(0)

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
  await scratch.db
    .insertInto('accounts')
    .values([
      { id: ID, workchain: 0, address: FIRST.hash, activity: NONE },
      { id: ID + 1n, workchain: 0, address: SECOND.hash, activity: NONE },
    ])
    .execute()
})
afterAll(() => scratch?.close())

const noDatabase = undefined as unknown as Db

describe('accounts whose addresses collide', () => {
  test('each is found under its own id, in the order requested; unknown ones are omitted', async () => {
    const cache = new AccountCache()
    expect(deriveAccountId(SECOND)).toBe(ID)
    expect(await cache.idsOf(scratch.db, [SECOND, STRANGER, FIRST, SECOND])).toEqual([ID + 1n, ID])
    expect(await cache.idOf(scratch.db, STRANGER)).toBeUndefined()
  })

  test('each id gives its own address', async () => {
    const directory = await new AccountCache().load(scratch.db, [ID + 1n, ID], { states: true })
    expect(directory.get(ID).raw).toBe(formatRawAddress(FIRST))
    expect(directory.entry(ID + 1n)).toEqual({
      address: SECOND,
      codeHash: null,
      domain: null,
      interfaces: [],
    })
  })
})

test.each([0, -1])('the first and the last address of workchain %i are ordinary ones', async (workchain) => {
  const ends = [0x00, 0xff].map((byte) => ({ workchain, hash: Buffer.alloc(32, byte) }))
  expect(await new AccountCache().idsOf(scratch.db, [...ends, FIRST])).toEqual([ID])
  const rows = ends.map((one) => ({ id: deriveAccountId(one), workchain, address: one.hash, activity: NONE }))
  await scratch.db.insertInto('accounts').values(rows).execute()
  expect(await new AccountCache().idsOf(scratch.db, ends)).toEqual(rows.map(({ id }) => id))
})

test('a cached account is not queried again, by address or by id', async () => {
  const cache = new AccountCache()
  await cache.idsOf(scratch.db, [FIRST])
  expect(await cache.idsOf(noDatabase, [FIRST])).toEqual([ID])
  const directory = await cache.load(noDatabase, [ID], { states: false })
  expect(directory.get(ID).address).toEqual(FIRST)
  expect(() => directory.get(ID + 1n)).toThrow('has no row')
})

test('of two domains of one length the first by bytes is shown, whatever the collation', async () => {
  const { pool, db } = scratch
  // As in a database with this collation, in which underscores precede digits. Views forbid `alter table`.
  await pool.query(`update pg_attribute set attcollation = '"en-x-icu"'::regcollation
    where attrelid = 'dns_entries'::regclass and attname = 'domain'`)
  const names = ['a_b.t.me', 'a1b.t.me']
  const entries = names.map((domain, at) => ({ account_id: BigInt(at), domain, owner_id: ID, wallet_id: ID }))
  await insertRows(pool, 'dns_entries', entries)
  const directory = await new AccountCache().load(db, [ID], { states: true })
  expect(directory.entry(ID).domain).toBe('a1b.t.me')
})
