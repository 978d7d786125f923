import { type Kysely, sql } from 'kysely'

/**
 * An account has a row for each trace, with the bytes of up to 64 actions, instead of one for each action.
 * The table is written anew, offline and in one transaction.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS: readonly string[] = [
  'drop index action_accounts_order_lt, action_accounts_time',
  `create temporary table listed on commit drop as
     select account_id, trace_end_lt, trace_end_utime, trace_bytes,
       string_agg(action_bytes, ''::bytea order by place) as action_bytes, min(place) as place
     from (
       select *, row_number() over (
         partition by account_id, trace_end_lt, trace_bytes order by end_lt, action_bytes) - 1 as place
       from action_accounts) a
     group by account_id, trace_end_lt, trace_end_utime, trace_bytes, place / 64`,
  'truncate action_accounts',
  'alter table action_accounts drop column end_lt, drop column end_utime',
  `insert into action_accounts (account_id, trace_end_lt, trace_end_utime, trace_bytes, action_bytes)
     select account_id, trace_end_lt, trace_end_utime, trace_bytes, action_bytes
     from listed order by trace_end_lt, trace_bytes, account_id, place`,
  'create index action_accounts_order_lt on action_accounts (account_id, trace_end_lt, trace_bytes)',
  `create index action_accounts_time on action_accounts using brin (
     to_timestamp(trace_end_utime), ((to_timestamp(trace_end_utime) at time zone 'UTC')::date))
     with (pages_per_range = '32', autosummarize = 'on')`,
]
