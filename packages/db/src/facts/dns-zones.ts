import type { DnsZone } from '@shardwalk/contracts'
import type { Workchain } from '@shardwalk/model'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A row of `dns_zones`. */
export type ZoneRow = {
  readonly suffix: DnsZone['suffix']
  readonly workchain: Workchain
  readonly address: Buffer
}

/** Statement with rows for `toZone`: the zones of the network, as the root contract lists them. */
export const SELECT_ZONES = 'select suffix, workchain, address from dns_zones order by suffix'

/** The zone of a row; the address is that of its collection. */
export const toZone = ({ suffix, workchain, address }: ZoneRow): DnsZone => ({
  suffix,
  collection: { workchain, hash: address },
})

/** Zones according to the newest examined root contract. */
export async function readDnsZones(db: Db): Promise<DnsZone[]> {
  return (await sql.raw<ZoneRow>(SELECT_ZONES).execute(db)).rows.map(toZone)
}
