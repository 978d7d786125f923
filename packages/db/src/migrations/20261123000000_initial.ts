import { type Kysely, sql } from 'kysely'
import { CHAIN } from './initial/chain.ts'
import { CONTRACTS } from './initial/contracts.ts'
import { PROGRESS } from './initial/progress.ts'
import { ROLES } from './initial/roles.ts'
import { TOKENS } from './initial/tokens.ts'
import { TRACES } from './initial/traces.ts'
import { TRUST } from './initial/trust.ts'

/** All tables as of the first release. docs/schema.md says what they hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [CHAIN, PROGRESS, TRACES, CONTRACTS, ROLES, TOKENS, TRUST].flat())
    await sql.raw(statement).execute(db)
}
