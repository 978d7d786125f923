import type { Db } from '@shardwalk/db'
import type { EventServices } from '@shardwalk/live-events'
import { type RenderContext, UNLIMITED } from '@shardwalk/replies'
import { pinned } from '../replicas/chosen-replica.ts'
import type { ApiServices } from '../services.ts'

/** What events are read and rendered with, out of what all parts of the server share. */
export const eventServices = (services: ApiServices): EventServices => ({
  db: services.db,
  log: services.log,
  node: services.node,
  pending: services.pending,
  context: () => eventContext(services),
  indexedRange: async () => (await services.head.read()).range,
  pinned: async (block) => eventServices(await pinned(services, block)),
})

/** Nothing of it depends on a client. */
export async function eventContext(services: ApiServices): Promise<RenderContext> {
  const { db, rules, head, accounts, writableDb, imageProxy, marketplaces } = services
  const { testOnly } = await head.read()
  return {
    db,
    rules,
    accounts,
    writableDb,
    imageProxy,
    marketplaces,
    testOnly,
    reading: <T>(read: (db: Db) => Promise<T>) => read(db),
    size: UNLIMITED,
    settings: { noAddressBook: false, noMetadata: false },
  }
}
