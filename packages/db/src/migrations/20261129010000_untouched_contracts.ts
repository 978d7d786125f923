import { type Kysely, sql } from 'kysely'

/**
 * Queues a contract of each one that has no state: when it is examined, the state of what it names is
 * fetched.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, named] of NAMED)
    await sql
      .raw(`
        insert into refresh_queue (account_id, lt)
        select distinct on (c.${named}) c.account_id, s.lt
        from ${table} c join latest_account_states s using (account_id)
        where c.${named} is not null
          and not exists (select from latest_account_states n where n.account_id = c.${named})
        order by c.${named}, c.account_id on conflict (account_id) do nothing`)
      .execute(db)
}

const NAMED = [
  ['jetton_wallets', 'jetton_id'],
  ['nft_items', 'collection_id'],
  ['multisig_orders', 'multisig_id'],
] as const
