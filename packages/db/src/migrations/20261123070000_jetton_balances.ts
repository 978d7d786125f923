import { type Kysely, sql } from 'kysely'

/**
 * Balances of jetton wallets at past blocks. Transactions that are indexed already keep null: what their
 * blocks showed is gone, and a repair of their range writes it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table transactions add column jetton_balance numeric`.execute(db)
}
