import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseServerList, type ServerAddress } from '@shardwalk/liteserver'
import {
  chooseNetwork,
  isFiles,
  type LiveNetwork,
  type ResolvedNetwork,
  resolveNetwork,
} from '@shardwalk/networks'
import type { BackfillOrder } from '@shardwalk/pipeline'
import type { QueueStore } from '@shardwalk/queue'
import {
  type Environment,
  readSettings,
  type Settings,
  toEnvironment,
  type WatchItem,
} from '@shardwalk/settings'

/** Where blocks come from: lite servers of a network, or the packages of a node's archive in a folder. */
export type ChainOrigin =
  | {
      readonly kind: 'liteservers'
      readonly choice: LiveNetwork
      readonly network: ResolvedNetwork
      /** Value of `LITESERVERS`. */
      readonly own: readonly ServerAddress[] | undefined
      /** Full nodes besides lite servers, or instead of them; undefined: lite servers alone. */
      readonly fullNodes: FullNodeChoice | undefined
    }
  | { readonly kind: 'archive'; readonly folder: string }

/** How full nodes are used. */
export interface FullNodeChoice {
  /** Lite servers are used for blocks that full nodes do not give. */
  readonly hasFallback: boolean
  /** UDP port; 0: any. */
  readonly port: number
  readonly wantedPeers: number
  /** Bytes of history per second. */
  readonly downloadLimit: number | undefined
  /** File in which full nodes are remembered over a restart. */
  readonly bookFile: string
  /** File with the key by which they remember this one. */
  readonly keyFile: string
}

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
  /** Undefined: everything is kept. */
  readonly watch: readonly WatchItem[] | undefined
}

/** Settings of the ingest process and its network. */
export async function readConfig(env: Environment): Promise<IngestConfig> {
  const { settings } = readSettings({ env, readSecretFile: (path) => readFileSync(path, 'utf8') })
  if (!settings.databaseUrl)
    throw new Error('DATABASE_URL is not set; "shardwalk ingest" finds the database by itself')
  const origin = await readOrigin(settings)
  const { databaseUrl, redisUrl } = settings
  const decodeThreads = settings.decodeThreads ?? Math.min(4, Math.max(1, availableParallelism() - 1))
  return {
    settings,
    origin,
    chainEnds: origin.kind === 'archive' || env['CHAIN_ENDS'] === '1',
    databaseUrl,
    queueStore: redisUrl ? { redisUrl } : { databaseUrl },
    start: settings.indexFrom ?? 'head',
    // The oldest blocks are those that retention drops.
    order: settings.retention && settings.backfill !== 'off' ? 'newest-first' : settings.backfill,
    decodeThreads,
    tvmThreads: settings.tvmThreads ?? decodeThreads,
    watch: settings.watch?.items,
  }
}

async function readOrigin(settings: Settings): Promise<ChainOrigin> {
  const choice = chooseNetwork(settings.network)
  if (isFiles(choice)) return { kind: 'archive', folder: choice.folder }
  const given = toEnvironment(settings)['LITESERVERS']
  const own = given ? parseServerList(given) : undefined
  const needsServers = settings.source !== 'p2p'
  const network = await resolveNetwork(choice, { dataDir: settings.dataDir, own, needsServers })
  return { kind: 'liteservers', choice, network, own, fullNodes: readFullNodes(settings, choice) }
}

function readFullNodes(settings: Settings, { slug }: LiveNetwork): FullNodeChoice | undefined {
  const { source, p2pPort, p2pPeers, p2pDownloadMbps, dataDir } = settings
  if (source === 'lite') return undefined
  const ofNetwork = (ending: string) => join(dataDir, 'networks', `${slug}.${ending}`)
  return {
    hasFallback: source === 'auto',
    port: p2pPort,
    wantedPeers: p2pPeers,
    downloadLimit: p2pDownloadMbps && (p2pDownloadMbps * 1_000_000) / 8,
    bookFile: ofNetwork('full-nodes.json'),
    keyFile: ofNetwork('adnl-key'),
  }
}
