import { type Kysely, sql } from 'kysely'

const NUMBERED = [
  'jetton_masters',
  'jetton_wallets',
  'nft_collections',
  'nft_items',
  'multisig_wallets',
  'multisig_orders',
  'vesting_contracts',
] as const

/** Numbers of rows, for lists in the order in which rows were first written. Rewrites the tables. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of NUMBERED) {
    await sql.raw(`alter table ${table} add column row_no bigint generated always as identity`).execute(db)
    await sql.raw(`create index ${table}_row_no on ${table} (row_no)`).execute(db)
  }
  await sql.raw('create index jetton_wallets_jetton_row_no on jetton_wallets (jetton_id, row_no)').execute(db)
}
