import { type Kysely, sql } from 'kysely'

/**
 * The schema of views for people, and the function that shows addresses: it is indexed, so that a view can be
 * filtered by an address as people write it. `::text` and not `||` alone, which is not immutable for numbers.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create schema analytics`.execute(db)
  await sql`
    create function analytics.address_text(workchain int, address bytea) returns text
    language sql immutable strict parallel safe
    as $$ select workchain::text || ':' || upper(encode(address, 'hex')) $$`.execute(db)
  await sql`
    comment on function analytics.address_text is 'An address as the views and the API show it.'`.execute(db)
}
