import { type AccountId, deriveAccountId, formatRawAddress, type RawAddress } from '@shardwalk/model'
import type pg from 'pg'

/** An id is the derived one unless someone ground a colliding address; then it is one of the next. */
const COLLISION_REACH = 16

interface AccountRow {
  readonly id: AccountId
  readonly workchain: number
  readonly address: Buffer
}

/** Texts of the addresses with these ids. Throws when asked for one that was not among them. */
export async function readAddresses(
  client: pg.ClientBase,
  ids: readonly (AccountId | null)[],
): Promise<(id: AccountId) => string> {
  const wanted = [...new Set(ids)].filter((id) => id !== null)
  const { rows } = await client.query<AccountRow>('select id, workchain, address from accounts where id = any($1)', [
    wanted,
  ])
  const texts = new Map(rows.map((row) => [row.id, formatRawAddress({ workchain: row.workchain, hash: row.address })]))
  return (id) => {
    const text = texts.get(id)
    if (text === undefined) throw new Error(`account ${id} has no address`)
    return text
  }
}

/** Ids of addresses, by their text; those that were never seen are absent. */
export async function readIds(
  client: pg.ClientBase,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, AccountId>> {
  const wanted = new Set(addresses)
  const { rows } = await client.query<AccountRow>(
    `select a.id, a.workchain, a.address from unnest($1::bigint[]) d(id)
     join accounts a on a.id between d.id and d.id + ${COLLISION_REACH}`,
    [addresses.map((address) => deriveAccountId(parseRaw(address)))],
  )
  const ids = new Map<string, AccountId>()
  for (const { id, workchain, address } of rows) {
    const text = formatRawAddress({ workchain, hash: address })
    if (wanted.has(text)) ids.set(text, id)
  }
  return ids
}

/** The form of `formatRawAddress`. */
export function parseRaw(text: string): RawAddress {
  const colon = text.indexOf(':')
  return { workchain: Number(text.slice(0, colon)), hash: Buffer.from(text.slice(colon + 1), 'hex') }
}

/** True for texts that `parseRaw` reads: some columns of actions hold names instead. */
export const isRaw = (text: string): boolean => /^-?\d+:[0-9A-F]{64}$/.test(text)
