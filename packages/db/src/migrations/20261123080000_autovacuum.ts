import { type Kysely, sql } from 'kysely'

/** Rows come and go: a claim reads past what vacuum has not removed. */
const QUEUE = 'autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000'
/** Updated in place for ever, in tables of hundreds of millions of rows. */
const UPDATED = 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02'
/** A few rows that every commit replaces and every request reads. */
const SMALL = 'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200'
/** Only appended to: all-visible soon, for index-only scans. */
const APPENDED = 'autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05'

const TABLES: Readonly<Record<string, readonly string[]>> = {
  [QUEUE]: ['refresh_queue', 'unclassified_traces', 'changed_facts', 'event_queue', 'naming_queue'],
  [UPDATED]: [
    ...['latest_account_states', 'account_data', 'contracts', 'contract_data', 'state_parts'],
    ...['jetton_wallets', 'nft_items', 'traces'],
  ],
  [SMALL]: ['indexed_ranges', 'ingest_status', 'proved_block', 'linked_ranges'],
  [APPENDED]: [
    ...['blocks', 'shard_state', 'actions', 'action_accounts'],
    ...['jetton_transfers', 'jetton_burns', 'nft_transfers'],
  ],
}

/**
 * How often vacuum comes, by what happens to a table. Settings of a partitioned table are those of its
 * partitions: of the present ones, and of those that the function makes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [settings, tables] of Object.entries(TABLES))
    for (const table of tables) await sql.raw(`alter table ${table} set (${settings})`).execute(db)
  await sql
    .raw(`
      do $do$ declare
        partition regclass;
        attach text := 'execute format(''alter table %1$I.%2$I attach';
        definition text := pg_get_functiondef('create_lt_partition(text, bigint, bigint)'::regprocedure);
      begin
        for partition in select inhrelid::regclass from pg_inherits
          where inhparent in ('transactions'::regclass, 'messages'::regclass)
        loop
          execute format('alter table %s set (${APPENDED})', partition);
        end loop;
        if position(attach in definition) = 0 then
          raise exception 'create_lt_partition is another one: %', definition;
        end if;
        -- As it is, with its search path and privileges, and one statement more.
        execute replace(definition, attach,
          'execute format(''alter table %I.%I set (${APPENDED})'', in_schema, partition);
      ' || attach);
      end $do$`)
    .execute(db)
}
