import { type AccountFacts, type Address, OpenTrace, type Trace } from '@shardwalk/actions'
import type pg from 'pg'
import { AddressBook } from '../facts/address-book.ts'
import { loadFacts } from '../facts/facts.ts'
import { factsReader } from '../facts/facts-reader.ts'
import { loadTraces } from './load-traces.ts'
import { findTraceRows } from './trace-rows.ts'

/**
 * A complete trace with the current facts about its contracts; undefined when there is no complete trace with
 * this id.
 */
export async function findTraceWithFacts(
  pool: pg.Pool,
  traceId: Buffer,
): Promise<{ readonly trace: Trace; readonly facts: ReadonlyMap<Address, AccountFacts> } | undefined> {
  const client = await pool.connect()
  try {
    const book = new AddressBook()
    const [loaded] = await loadTraces(client, book, await findTraceRows(client, [traceId]))
    if (!loaded) return undefined
    const { trace, accountIds: idOf } = loaded
    return { trace, facts: await loadFacts(factsReader({ client, book, idOf }), [new OpenTrace(trace)]) }
  } finally {
    client.release()
  }
}
