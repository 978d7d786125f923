import { HiddenCurrencyFinder } from '@shardwalk/contract-indexer'
import { silentLogger } from '@shardwalk/observability'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { sql } from 'kysely'

/** Looks for extra currencies that blocks did not show in earlier states, until nothing more is found. */
export async function findCurrencies(database: ScratchDatabase): Promise<void> {
  await sql`update hidden_currencies set not_before = null`.execute(database.db)
  const finder = new HiddenCurrencyFinder({ database, states: undefined, log: silentLogger })
  while (await finder.round());
}
