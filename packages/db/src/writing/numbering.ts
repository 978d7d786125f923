import type { AccountId, RawAddress } from '@shardwalk/model'
import type pg from 'pg'
import { type AccountIdOverrides, AccountIds } from '../rows/account-ids.ts'
import { assignOtherIds, IdsMet, insertAccounts } from './known-accounts.ts'
import { inTransaction, isConflict } from './transaction.ts'

/** Most attempts when concurrent writers get in the way. */
const ATTEMPTS = 8

/** Numbers the addresses that rows of contracts name; every one of them gets a row in `accounts`. */
export interface Numbering {
  idOf(address: RawAddress): AccountId
  /** To be called before rows with these ids are written. */
  insert(): Promise<void>
}

/** One transaction whose rows name accounts; done again when another writer got in the way or two addresses share a derived id. */
export async function withNumbering<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient, numbering: Numbering) => Promise<T>,
): Promise<T> {
  let overrides: AccountIdOverrides = new Map()
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(pool, (client) => work(client, numbering(client, overrides)))
    } catch (error) {
      if (error instanceof IdsMet) {
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
      if ((await insertAccounts(client, accounts)).length > 0) throw new IdsMet(accounts)
    },
  }
}
