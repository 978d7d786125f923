import { type Kysely, sql } from 'kysely'

/** Messages that were sent and what they are expected to do: lost in a crash without harm. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create unlogged table pending_traces (
      hash_norm bytea primary key,
      hash bytea not null,
      boc bytea not null,
      account text not null,
      account_id bigint not null,
      state smallint not null,
      reason text,
      version integer not null,
      accounts text[] not null,
      trace text,
      trace_id bytea,
      seen_lt bigint,
      seen_nodes integer not null,
      admitted_at timestamptz not null,
      changed_at timestamptz not null,
      expires_at timestamptz not null,
      due_at timestamptz not null,
      leased_until timestamptz,
      lease integer not null
    )`.execute(db)
  await sql`create index pending_traces_accounts on pending_traces using gin (accounts)`.execute(db)
  await sql`create index pending_traces_hash on pending_traces using hash (hash)`.execute(db)
}
