import { type Kysely, sql } from 'kysely'

/**
 * Of accounts that ended everything is kept that classification reads: actions stay what they were when a sale, an item or a pool ends. Those that
 * ended are examined once more for it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'alter table former_tokens rename to former_contracts',
  `alter table former_contracts
    add column is_nominator_pool boolean not null default false,
    add column wallet_owner_id bigint,
    add column code_hash bytea,
    add column item_index numeric,
    add column uri text,
    add column is_domain boolean not null default false,
    add column sale_price numeric,
    add column sale_marketplace_id bigint,
    add column sale_nft_id bigint,
    add column sale_owner_id bigint,
    add column auction_bid numeric,
    add column auction_marketplace_id bigint,
    add column auction_nft_id bigint,
    add column auction_owner_id bigint,
    add column multisig_id bigint,
    add column signers bigint[],
    add column is_pool boolean not null default false,
    add column asset_1_id bigint,
    add column asset_2_id bigint`,
  // Until it is examined again; the number does not matter before, nothing but the events of an item reads the row.
  'update former_contracts set item_index = 0 where is_item',
  'alter table former_contracts drop column is_item',
  `insert into refresh_queue (account_id, lt)
   select c.account_id, s.lt from contracts c join latest_account_states s using (account_id)
   where c.code_hash is null and exists (
     select from transactions t where t.account_id = c.account_id and t.data_hash_after is not null)
   order by 1 on conflict (account_id) do update set requeues = refresh_queue.requeues + 1`,
]
