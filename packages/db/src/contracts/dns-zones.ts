import type { DnsZone } from '@shardwalk/contracts'
import { type AccountId, deriveAccountId, type Lt, type RawAddress, type Workchain } from '@shardwalk/model'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Db } from '../database.ts'
import { lock } from '../writing/locks.ts'
import { withNumbering } from '../writing/numbering.ts'
import { requeueNaming } from './claims.ts'

type ZoneRow = { readonly suffix: DnsZone['suffix']; readonly workchain: Workchain; readonly address: Buffer }

const SELECT = 'select suffix, workchain, address from dns_zones order by suffix'

const toZone = ({ suffix, workchain, address }: ZoneRow): DnsZone => ({
  suffix,
  collection: { workchain, hash: address },
})

/** Zones according to the newest examined root contract. */
export async function readDnsZones(db: Db): Promise<DnsZone[]> {
  return (await sql.raw<ZoneRow>(SELECT).execute(db)).rows.map(toZone)
}

/**
 * Stores the zones. Items of collections that become or cease to be a zone are examined again. The caller
 * holds the lock on contracts.
 */
export async function writeDnsZones(client: pg.ClientBase, zones: readonly DnsZone[]): Promise<void> {
  const { rows } = await client.query<ZoneRow>(SELECT)
  const before = new Map(rows.map((row) => [zoneKey(toZone(row)), toZone(row)]))
  const now = new Map(zones.map((zone) => [zoneKey(zone), zone]))
  const changed = [...before, ...now]
    .filter(([key]) => before.has(key) !== now.has(key))
    .map(([, zone]) => zone)
  if (changed.length === 0) return
  await client.query('delete from dns_zones')
  for (const { suffix, collection } of zones)
    await client.query('insert into dns_zones (suffix, workchain, address) values ($1, $2, $3)', [
      suffix,
      collection.workchain,
      collection.hash,
    ])
  const collections: AccountId[] = changed.map(({ collection }) => deriveAccountId(collection))
  await requeueNaming(client, collections)
}

/**
 * Same as `writeDnsZones`, for a root contract that may not be indexed. Does nothing when a newer state than
 * `lt` was examined.
 */
export const storeDnsZones = (
  pool: pg.Pool,
  { root, lt, zones }: { readonly root: RawAddress; readonly lt: Lt; readonly zones: readonly DnsZone[] },
): Promise<void> =>
  withNumbering(pool, async (client) => {
    await lock(client, 'contracts')
    const newer = await client.query('select from contracts where account_id = $1 and lt > $2', [
      deriveAccountId(root),
      lt,
    ])
    if (newer.rowCount === 0) await writeDnsZones(client, zones)
  })

const zoneKey = ({ suffix, collection }: DnsZone): string =>
  `${suffix} ${collection.workchain}:${collection.hash.toString('hex')}`
