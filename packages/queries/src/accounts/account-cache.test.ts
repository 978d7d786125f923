import type { Database, Db } from '@shardwalk/db'
import { type AccountId, deriveAccountId, type RawAddress } from '@shardwalk/model'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { expect, test } from 'vitest'
import { AccountCache } from './account-cache.ts'

/** As many as the cache keeps. */
const MAX_CACHED = 100_000

const addressOf = (number: number): RawAddress => {
  const hash = Buffer.alloc(32)
  hash.writeUInt32BE(number, 0)
  return { workchain: 0, hash }
}
const idOf = (number: number): AccountId => deriveAccountId(addressOf(number))
const numbers = (count: number): number[] => [...Array(count).keys()]

/** A database in which each of the addresses is an account, whose id is the derived one. */
function accountsOf(count: number): Db {
  const accounts = new Map(numbers(count).map((number) => [idOf(number), addressOf(number)]))
  const rowOf = (id: bigint) => {
    const address = accounts.get(id)
    return address ? [{ id, workchain: address.workchain, address: address.hash }] : []
  }
  class AccountsDriver extends DummyDriver {
    override async acquireConnection() {
      return {
        executeQuery: async ({ parameters: [ids] }: { readonly parameters: readonly unknown[] }) => ({
          rows: (ids as bigint[]).flatMap(rowOf) as never[],
        }),
        async *streamQuery() {},
      }
    }
  }
  return new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new AccountsDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

test('an account that leaves a full cache while others are loaded is found all the same', async () => {
  const db = accountsOf(MAX_CACHED + 2)
  const cache = new AccountCache()
  await cache.load(db, numbers(MAX_CACHED).map(idOf), { states: true })
  const wanted = [0, MAX_CACHED, 1, MAX_CACHED + 1]
  expect(await cache.idsOf(db, wanted.map(addressOf))).toEqual(wanted.map(idOf))
  expect(await cache.idsOf(db, [addressOf(0)])).toEqual([idOf(0)])
})

test('each address of a list is read a few times, however long the list is', async () => {
  const count = 1000
  let reads = 0
  const counted = numbers(count).map((number): RawAddress => {
    const { workchain, hash } = addressOf(number)
    return {
      workchain,
      get hash() {
        reads++
        return hash
      },
    }
  })
  expect(await new AccountCache().idsOf(accountsOf(count), counted)).toHaveLength(count)
  expect(reads).toBeLessThan(10 * count)
})
