import { type Kysely, sql } from 'kysely'

/**
 * Two lists that were slow with ten million transactions.
 *
 * External-in messages by opcode, in the order of their hashes: without it the whole list of external messages was walked for an opcode that few of
 * them have. 5 bytes a transaction (one in nine is started from outside, and most such bodies begin with a signature).
 *
 * Traces that last long, few of all (a fortieth of a byte a transaction): the list of an account's traces follows the account's transactions, and only a trace that lasts long can end
 * far from them. The bounds are those of `LONG` in the query of the API.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}

const STATEMENTS = [
  'create index messages_external_in_opcode on messages (opcode, hash) where kind = 1 and opcode is not null',
  `create index traces_long on traces (end_lt)
    where state = 0 and (end_lt - start_lt > 100000000 or end_utime - start_utime > 120)`,
]
