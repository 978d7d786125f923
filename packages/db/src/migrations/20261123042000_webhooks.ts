import { type Kysely, sql } from 'kysely'

/** Webhooks and the events that they have not accepted yet. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  `create table webhooks (
    id integer generated always as identity primary key,
    url text not null,
    types text[] not null,
    after_seqno integer not null,
    passed_seqno integer not null,
    created_at timestamptz not null default now(),
    next_at timestamptz not null default now(),
    failures integer not null default 0,
    failing_since timestamptz,
    fault text,
    succeeded_at timestamptz,
    given_up_at timestamptz,
    full_seqno integer
  )`,

  `create table webhook_secrets (
    webhook_id integer primary key references webhooks on delete cascade,
    secret text not null
  )`,

  `create table webhook_accounts (
    account_id bigint not null,
    webhook_id integer not null references webhooks on delete cascade,
    primary key (account_id, webhook_id)
  )`,
  'create index webhook_accounts_webhook_id on webhook_accounts (webhook_id)',

  // No reference: whoever writes events must not wait for an operator who removes a webhook.
  `create table webhook_outbox (
    id bigint generated always as identity primary key,
    webhook_id integer not null,
    account_id bigint not null,
    mc_seqno integer not null,
    type smallint not null,
    lt bigint not null,
    trace_id bytea,
    wallet_id bigint,
    wallet json,
    sent integer not null default 0,
    queued_at timestamptz not null default now(),
    due_at timestamptz not null default now(),
    leased_until timestamptz,
    attempts integer not null default 0,
    failing_since timestamptz,
    given_up_at timestamptz,
    fault text
  ) with (fillfactor = 80)`,
  `create index webhook_outbox_lane on webhook_outbox
     (webhook_id, account_id, mc_seqno, type, lt, id)`,
  `create index webhook_outbox_leased on webhook_outbox (webhook_id, account_id)
     where leased_until is not null`,
]
