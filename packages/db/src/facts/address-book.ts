import { type AccountId, formatRawAddress, RecentMap, type Workchain } from '@shardwalk/model'
import type pg from 'pg'

/** Addresses by id, cached between transactions, because the address of an id never changes. */
export class AddressBook {
  private readonly recent: RecentMap<AccountId, string>

  constructor(most = 100_000) {
    this.recent = new RecentMap(most)
  }

  /** Returns a function that formats the addresses with these ids. It throws for any other id. */
  async read(client: pg.ClientBase, ids: Iterable<AccountId | null>): Promise<(id: AccountId) => string> {
    const known = new Map<AccountId, string>()
    const missing: AccountId[] = []
    for (const id of new Set(ids)) {
      if (id === null) continue
      const text = this.recent.get(id)
      if (text === undefined) missing.push(id)
      else known.set(id, text)
    }
    for (const [id, text] of await readAddresses(client, missing)) {
      known.set(id, text)
      this.recent.set(id, text)
    }
    return (id) => {
      const text = known.get(id)
      if (text === undefined) throw new Error(`account ${id} has no address`)
      return text
    }
  }
}

async function readAddresses(
  client: pg.ClientBase,
  ids: readonly AccountId[],
): Promise<readonly (readonly [AccountId, string])[]> {
  if (ids.length === 0) return []
  const { rows } = await client.query<{ id: AccountId; workchain: Workchain; address: Buffer }>({
    name: 'read-addresses',
    text: 'select id, workchain, address from accounts where id = any($1)',
    values: [ids],
  })
  return rows.map(({ id, workchain, address }) => [id, formatRawAddress({ workchain, hash: address })])
}
