import type { DnsZone } from '@shardwalk/contracts'
import { type AccountId, deriveAccountId, type Lt, type RawAddress, sameAddress } from '@shardwalk/model'
import type pg from 'pg'
import { SELECT_ZONES, toZone, type ZoneRow } from '../facts/dns-zones.ts'
import { lock } from '../writing/locks.ts'
import { withNumbering } from '../writing/numbering.ts'
import type { AskedContract } from './claims.ts'
import { requeueNaming } from './naming-queue.ts'
import { requeueOutdated } from './requeue.ts'

/**
 * Stores the zones. Items of collections that become or cease to be a zone are examined again. The caller
 * holds the lock on contracts.
 */
export async function writeDnsZones(client: pg.ClientBase, zones: readonly DnsZone[]): Promise<void> {
  const { rows } = await client.query<ZoneRow>(SELECT_ZONES)
  const changed = changedZones(rows.map(toZone), zones)
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

interface SawZones {
  readonly accountId: AccountId
  readonly asked: readonly AskedContract[]
  /** Zones known when it was examined; absent if the answer does not depend on them. */
  readonly zonesSeen?: readonly DnsZone[]
}

/**
 * Queues items whose collection became or ceased to be a zone while they were examined: another process could
 * not find an item that had no row yet. The caller holds the lock on contracts.
 */
export async function requeueByZones(client: pg.ClientBase, examined: readonly SawZones[]): Promise<void> {
  const { rows } = await client.query<ZoneRow>(SELECT_ZONES)
  const now = rows.map(toZone)
  const outdated = examined.filter(({ asked, zonesSeen }) => {
    if (!zonesSeen) return false
    const changed = changedZones(zonesSeen, now)
    return asked.some(({ address }) => changed.some(({ collection }) => sameAddress(collection, address)))
  })
  if (outdated.length > 0)
    await requeueOutdated(
      client,
      outdated.map((one) => one.accountId),
    )
}

/** Zones that are in one list only. */
function changedZones(before: readonly DnsZone[], now: readonly DnsZone[]): readonly DnsZone[] {
  const without = (zones: readonly DnsZone[], others: readonly DnsZone[]) => {
    const keys = new Set(others.map(zoneKey))
    return zones.filter((zone) => !keys.has(zoneKey(zone)))
  }
  return [...without(before, now), ...without(now, before)]
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
