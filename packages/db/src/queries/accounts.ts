import { type AccountId, deriveAccountId, type RawAddress } from '@shardwalk/model'
import type { Db } from '../database.ts'
import { addressKey } from '../rows/account-ids.ts'

/** Ids by `addressKey`; addresses that are not in the table are absent. Index: primary key of accounts. */
export async function findAccountIds(
  db: Db,
  addresses: readonly RawAddress[],
): Promise<ReadonlyMap<string, AccountId>> {
  const found = new Map<string, AccountId>()
  let candidates = addresses.map((address) => ({ id: deriveAccountId(address), address }))
  // More than one round only for addresses whose derived id is taken by another: then the next id is tried.
  while (candidates.length > 0) {
    const holders = await findAddresses(
      db,
      candidates.map(({ id }) => id),
    )
    candidates = candidates.flatMap(({ id, address }) => {
      const holder = holders.get(id)
      if (!holder) return []
      if (addressKey(holder) !== addressKey(address)) return [{ id: id + 1n, address }]
      found.set(addressKey(address), id)
      return []
    })
  }
  return found
}

/** Addresses by id; ids that are not in the table are absent. Index: primary key of accounts. */
export async function findAddresses(
  db: Db,
  ids: readonly AccountId[],
): Promise<ReadonlyMap<AccountId, RawAddress>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('accounts')
    .selectAll()
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, workchain, address }) => [id, { workchain, hash: address }]))
}
