import { MARKETPLACES } from '@shardwalk/actions'
import { PROFILES, profileRules } from '@shardwalk/api-schema'
import { blocksBehindHead } from '@shardwalk/db'
import { HeadFirst } from '@shardwalk/exports/head-first'
import { INLINE_WORK } from '@shardwalk/node-access/requests'
import { createMetrics, silentLogger } from '@shardwalk/observability'
import { Pending } from '@shardwalk/pending'
import { AccountCache, HeadCache } from '@shardwalk/queries'
import { DEFAULT_MAX_REPLY_BYTES } from '@shardwalk/replies'
import type { ApiOptions } from './api-options.ts'
import { ExportPace, ExportPlaces } from './http/export-pace.ts'
import { ReadTurns } from './http/read-turns.ts'
import { RecentRequests } from './http/recent-requests.ts'
import { lazyNode } from './node/lazy-node.ts'
import { Replica } from './replicas/replica.ts'
import { ReplicaSet } from './replicas/replica-set.ts'
import type { ApiServices } from './services.ts'

/** Same as the limit of TON Center. */
const REQUEST_DEADLINE_MS = 10_000

/** What all parts share, with the defaults of options. Opens no connections. */
export function openServices(options: ApiOptions): ApiServices {
  const indexed = indexedServices(options)
  const node = lazyNode(options.lite, {
    ...indexed,
    onSending: ({ boc }, outcome) => pending?.follow(boc, outcome),
  })
  const pending = openPending({ ...indexed, node }, options)
  const services: ApiServices = { ...indexed, node, pending }
  options.onServices?.(services)
  return services
}

/** All that needs no lite server. */
function indexedServices(options: ApiOptions): Omit<ApiServices, 'node' | 'pending'> {
  const profile = options.profile ?? PROFILES[0]
  const rules = profileRules(profile)
  const head = new HeadCache(options.headDb ?? options.db)
  return {
    db: options.db,
    writableDb: options.writableDb,
    log: options.log ?? silentLogger,
    metrics: options.metrics ?? createMetrics(),
    profile,
    rules,
    defaultLimit: options.defaultLimit ?? rules.defaultLimit,
    head,
    replicas: options.replicas ?? new ReplicaSet([new Replica('database', options.db, head)]),
    readTurns: new ReadTurns(options.largeReads ?? 2),
    accounts: new AccountCache(),
    exportMaxRows: options.exportMaxRows ?? 0,
    exportPlaces: new ExportPlaces(options.exportConcurrency ?? 2),
    exportPace: new ExportPace({
      head: new HeadFirst({ behind: () => blocksBehindHead(options.db), most: options.exportMaxLag ?? 5 }),
      givesWay: options.exportPriority !== 'normal',
    }),
    requests: new RecentRequests(),
    requestDeadlineMs: options.requestDeadlineMs ?? REQUEST_DEADLINE_MS,
    maxReplyBytes: options.maxReplyBytes ?? DEFAULT_MAX_REPLY_BYTES,
    work: options.work ?? INLINE_WORK,
    imageProxy: options.imageProxy,
    marketplaces: options.marketplaces ?? MARKETPLACES,
    version: options.version ?? '0.1.0',
  }
}

/** Pending messages are kept where the API writes; on a replica they do not exist. */
function openPending(
  { writableDb, ...beside }: Omit<ApiServices, 'pending'>,
  options: ApiOptions,
): Pending | undefined {
  if (!options.pending || !writableDb) return undefined
  const pending = new Pending({ ...beside, db: writableDb }, options.pending)
  options.onPending?.(pending)
  return pending
}
