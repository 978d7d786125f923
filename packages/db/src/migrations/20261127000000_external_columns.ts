import { type Kysely, sql } from 'kysely'

/**
 * Traces say which external-in message began them, so that lists of these messages need not be put together
 * from all partitions. In one transaction, less than a minute per million traces.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table traces add column external_account_id bigint, add column external_body_hash8 bigint,
    add column external_opcode integer`.execute(db)
  await sql`update traces r
    set external_account_id = m.account_id, external_body_hash8 = m.body_hash8, external_opcode = m.opcode
    from messages m
    where m.kind = 1 and m.lt = r.start_lt and m.hash = r.external_hash`.execute(db)
}
