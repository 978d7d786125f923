import { type Kysely, sql } from 'kysely'

/**
 * Lists of mintless jettons: the hash that the chain commits to, how far each list is imported, and the configuration that get-methods need
 * to say which wallet an owner would have. Masters that may have a list are examined again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

/** Id of get_mintless_airdrop_hashmap_root. */
const METHOD = 79463

const STATEMENTS = [
  'alter table jetton_masters add column airdrop_root bytea',
  'create index jetton_masters_airdrop on jetton_masters (account_id) where airdrop_root is not null',
  `alter table mintless_jettons
    add column airdrop_root bytea,
    add column says uuid,
    add column dump_uri text,
    add column import_no integer not null default 1,
    add column entries bigint not null default 0,
    add column imported_at timestamptz,
    add column due_at timestamptz,
    add column attempts integer not null default 0,
    add column fault text`,
  'alter table mintless_claims add column import_no integer not null default 1',
  `create table network_config (
    id integer primary key check (id = 1),
    key_block_seqno integer not null,
    boc bytea not null
  )`,
  `insert into refresh_queue (account_id, lt)
    select c.account_id, c.lt from contracts c join contract_methods m using (code_hash) join jetton_masters j using (account_id)
    where ${METHOD} = any (m.methods) order by 1 on conflict (account_id) do update set requeues = refresh_queue.requeues + 1`,
]
