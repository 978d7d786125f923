import type { AccountId, RawAddress } from '@shardwalk/model'
import type pg from 'pg'
import { type AccountIdOverrides, AccountIds } from '../rows/account-ids.ts'
import { refuseMigrated } from '../schema-version.ts'
import { AccountIdCollision, assignOtherIds, insertAccounts } from './known-accounts.ts'
import { inTransaction, isConflict } from './transaction.ts'

/** Attempts while concurrent writers cause conflicts. */
const ATTEMPTS = 8

/** Assigns ids to the addresses in rows; each address gets a row in `accounts`. */
export interface Numbering {
  idOf(address: RawAddress): AccountId
  /** Must be called before rows with these ids are written. */
  insert(): Promise<void>
}

/**
 * Runs one transaction whose rows name accounts; repeats it on a conflict with another writer, or when two
 * addresses share a derived id. Throws `SchemaTooNew`.
 */
export async function withNumbering<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, numbering: Numbering) => Promise<T>,
): Promise<T> {
  let overrides: AccountIdOverrides = new Map()
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(pool, async (client) => {
        const result = await work(client, numbering(client, overrides))
        await refuseMigrated(client)
        return result
      })
    } catch (error) {
      if (error instanceof AccountIdCollision) {
        const taken = await inTransaction(pool, (client) => assignOtherIds(client, error.accounts))
        overrides = new Map([...overrides, ...taken.overrides])
      } else if (!isConflict(error) || attempt >= ATTEMPTS) throw error
    }
  }
}

function numbering(client: pg.PoolClient, overrides: AccountIdOverrides): Numbering {
  const ids = new AccountIds(overrides)
  return {
    idOf: (address) => ids.idOf(address),
    async insert() {
      const list = ids.list()
      const accounts = Array.from(list.ids, (id, index) => ({
        id,
        workchain: list.workchains[index] as number,
        hash: Buffer.from(list.hashes.buffer, index * 32, 32),
      }))
      await insertAccounts(client, accounts)
    },
  }
}
