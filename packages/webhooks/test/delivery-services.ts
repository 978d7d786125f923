import { profileRules } from '@shardwalk/api-schema'
import type { Db } from '@shardwalk/db'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import { AccountCache } from '@shardwalk/queries'
import { UNLIMITED } from '@shardwalk/replies'
import type { DispatcherOptions } from '../src/outbox/dispatcher.ts'

/** What a dispatcher over the database needs beside it. */
export function deliveryServices(db: Db): DispatcherOptions['services'] {
  const accounts = new AccountCache()
  return {
    log: silentLogger,
    metrics: noMetrics,
    context: async () => ({
      ...{ db, accounts, rules: profileRules('standard'), size: UNLIMITED, testOnly: false },
      settings: { noAddressBook: false, noMetadata: false },
      marketplaces: new Map(),
      reading: (read) => read(db),
    }),
  }
}
