import { type Kysely, sql } from 'kysely'

/**
 * Less space and less churn for the same answers.
 *
 * `pending_edges` repeated what the tables of the chain say: a received message whose sender is indexed has that transaction's trace, found by
 * primary keys. It was written and emptied again with nearly every batch.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'drop table pending_edges',
  // A tree keeps a repeated code hash once: 11 bytes an account instead of 60.
  'drop index latest_account_states_code',
  'create index latest_account_states_code on latest_account_states (code_hash) where code_hash is not null',
]
