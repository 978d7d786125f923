import {
  type AccountId,
  deriveAccountId,
  formatRawAddress,
  type RawAddress,
  type Workchain,
} from '@shardwalk/model'
import type pg from 'pg'

/** The id of an account is the derived one, or one of the next if a colliding address was generated. */
export const COLLISION_REACH = 16

interface AccountRow {
  readonly id: AccountId
  readonly workchain: Workchain
  readonly address: Buffer
}

/** Ids of addresses, keyed by their text. Addresses never seen are absent. */
export async function readIds(
  client: pg.ClientBase,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, AccountId>> {
  if (addresses.length === 0) return new Map()
  const wanted = new Set(addresses)
  const { rows } = await client.query<AccountRow>(
    `select a.id, a.workchain, a.address from unnest($1::bigint[]) d(id)
     join accounts a on a.id between d.id
       and least(d.id, ${2n ** 63n - 1n - BigInt(COLLISION_REACH)}) + ${COLLISION_REACH}`,
    [addresses.map((address) => deriveAccountId(parseRaw(address)))],
  )
  const ids = new Map<string, AccountId>()
  for (const { id, workchain, address } of rows) {
    const text = formatRawAddress({ workchain, hash: address })
    if (wanted.has(text)) ids.set(text, id)
  }
  return ids
}

/** Inverse of `formatRawAddress`. */
export function parseRaw(text: string): RawAddress {
  const colon = text.indexOf(':')
  return { workchain: Number(text.slice(0, colon)), hash: Buffer.from(text.slice(colon + 1), 'hex') }
}
