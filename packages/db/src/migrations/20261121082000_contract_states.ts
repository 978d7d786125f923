import { type Kysely, sql } from 'kysely'

/**
 * States of contracts are put together from what the blocks show, and every table of contracts is a function of the chain: who names whom
 * is kept, so that a contract is examined again when the one it names begins to say something else.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table state_parts (
    account_id bigint not null,
    lt bigint not null,
    mc_seqno integer not null,
    boc bytea not null,
    primary key (account_id, lt)
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  `create table missing_states (
    account_id bigint primary key,
    lt bigint not null,
    since timestamptz not null default now(),
    what text not null
  )`,
  'create index missing_states_since on missing_states (since)',
  `create table contract_claims (
    named_id bigint not null,
    account_id bigint not null,
    primary key (named_id, account_id)
  )`,
  'create index contract_claims_account on contract_claims (account_id)',
  `create table former_tokens (
    account_id bigint primary key,
    lt bigint not null,
    jetton_id bigint,
    collection_id bigint,
    is_item boolean not null
  )`,
  'alter table contracts add column changed_lt bigint not null default 0, add column says uuid',
  'alter table refresh_queue add column requeues integer not null default 0',
  // Whom these named was not kept.
  `insert into refresh_queue (account_id, lt)
   select account_id, lt from contracts where roles = 0 and code_hash is not null order by account_id on conflict (account_id) do nothing`,
  // What these were before they ended was not looked at.
  `insert into refresh_queue (account_id, lt)
   select s.account_id, s.lt from latest_account_states s where s.status <> 2 and exists (
     select from transactions t where t.account_id = s.account_id and t.data_hash_after is not null)
   order by s.account_id on conflict (account_id) do nothing`,
]
