import type { Db } from '@shardwalk/db'
import { UNLIMITED } from '@shardwalk/replies'
import type { RequestContext } from '../http/route.ts'
import type { ApiServices } from '../services.ts'

const NO_SIGNAL = new AbortController().signal

/** What events are rendered with: nothing of it depends on a client. */
export async function streamContext(services: ApiServices): Promise<RequestContext> {
  const { db, rules, head, accounts, writableDb, imageProxy, marketplaces, work } = services
  const { testOnly } = await head.read()
  return {
    db,
    head,
    marketplaces,
    reading: <T>(read: (db: Db) => Promise<T>) => read(db),
    size: UNLIMITED,
    rules,
    settings: { timeoutMs: undefined, noAddressBook: false, noMetadata: false, debug: false },
    accounts,
    testOnly,
    writableDb,
    imageProxy,
    work: (name, input) => work.run(name, input, { signal: () => NO_SIGNAL, client: 'streaming' }),
    hold: () => {},
  }
}
