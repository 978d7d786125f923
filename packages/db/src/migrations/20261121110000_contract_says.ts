import { type Kysely, sql } from 'kysely'

/** What contracts say that others name, as of now: else each would seem to begin to say it, and have all that name it examined again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update contracts c set says = md5(concat_ws('|', c.code_hash, m.wallet_code_hash, n.content))::uuid
    from (select jetton_id as id from jetton_wallets union select collection_id from nft_items union select multisig_id from multisig_orders) named
    left join jetton_masters m on m.account_id = named.id left join nft_collections n on n.account_id = named.id
    where c.account_id = named.id and c.code_hash is not null and c.says is null`.execute(db)
}
