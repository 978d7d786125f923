import { readFileSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import {
  type NetworkConfig,
  parseGlobalConfig,
  parseServerList,
  type ServerAddress,
} from '@shardwalk/liteserver'
import type { BackfillOrder } from '@shardwalk/pipeline'
import type { QueueStore } from '@shardwalk/queue'
import { type Environment, readSettings, type Settings, toEnvironment } from '@shardwalk/settings'

/** Where blocks come from: lite servers of a network, or the packages of a node's archive in a folder. */
export type ChainOrigin =
  | {
      readonly kind: 'liteservers'
      readonly network: NetworkConfig
      readonly servers: readonly ServerAddress[]
    }
  | { readonly kind: 'archive'; readonly folder: string }

export interface IngestConfig {
  readonly settings: Settings
  readonly origin: ChainOrigin
  /** The chain is finished, so its head will stop at some point. */
  readonly chainEnds: boolean
  readonly databaseUrl: string
  readonly queueStore: QueueStore
  readonly start: 'head' | 'genesis' | number
  readonly order: BackfillOrder
  readonly decodeThreads: number
  readonly tvmThreads: number
}

/**
 * Settings of the ingest process. `NETWORK` is the path of a global config file, resolved by the starting
 * process.
 */
export function readConfig(env: Environment): IngestConfig {
  const { settings } = readSettings({ env, readSecretFile: (path) => readFileSync(path, 'utf8') })
  if (!settings.databaseUrl)
    throw new Error('DATABASE_URL is not set; "shardwalk ingest" finds the database by itself')
  const origin = readOrigin(settings)
  const { databaseUrl, redisUrl } = settings
  const decodeThreads = settings.decodeThreads ?? Math.min(4, Math.max(1, availableParallelism() - 1))
  return {
    settings,
    origin,
    chainEnds: origin.kind === 'archive' || env['CHAIN_ENDS'] === '1',
    databaseUrl,
    queueStore: redisUrl ? { redisUrl } : { databaseUrl },
    start: settings.indexFrom ?? 'head',
    order: settings.backfill,
    decodeThreads,
    tvmThreads: settings.tvmThreads ?? decodeThreads,
  }
}

function readOrigin(settings: Settings): ChainOrigin {
  if (statSync(settings.network).isDirectory()) return { kind: 'archive', folder: settings.network }
  const network = parseGlobalConfig(readFileSync(settings.network, 'utf8'))
  const own = toEnvironment(settings)['LITESERVERS']
  return { kind: 'liteservers', network, servers: own ? parseServerList(own) : network.liteServers }
}
