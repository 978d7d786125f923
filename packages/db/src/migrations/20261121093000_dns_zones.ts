import { type Kysely, sql } from 'kysely'

/** Zones of the network's root of names, as its newest state has them: every process that examines items reads the same ones. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table dns_zones (
    suffix text primary key,
    workchain integer not null,
    address bytea not null
  )`.execute(db)
}
