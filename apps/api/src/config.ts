import { readFileSync } from 'node:fs'
import { parseServerList, type ServerAddress } from '@shardwalk/liteserver'
import type { ImageProxy } from '@shardwalk/metadata'
import {
  type Environment,
  readSettings,
  type Settings,
  SettingsError,
  toEnvironment,
} from '@shardwalk/settings'
import { isLoopback } from './access/client-address.ts'
import { readMarketplaces } from './marketplaces.ts'

import type { StreamPlans } from './streaming/stream-places.ts'

export interface ApiConfig {
  readonly host: string
  readonly port: number
  /** Undefined: metrics are not served. */
  readonly metricsPort: number | undefined
  readonly profile: 'standard' | 'toncenter'
  /** Undefined: that of the profile. */
  readonly defaultLimit: number | undefined
  /** For reading, each with the same content; the user may lack all other rights. */
  readonly databaseUrls: readonly string[]
  /** For what the API writes; undefined: it writes nothing. */
  readonly databaseWriteUrl: string | undefined
  /** Whether `DATABASE_READ_URL` is given: replicas do not notify. */
  readonly readsFromReplicas: boolean
  readonly databaseWaitSeconds: number
  readonly poolSize: number
  readonly redisUrl: string | undefined
  readonly anonymousRps: number
  readonly openRps: number
  readonly exportMaxRows: number
  readonly exportConcurrency: number
  readonly exportMaxLag: number
  readonly exportPriority: 'low' | 'normal'
  readonly maxReplyBytes: number
  readonly maxConnections: number
  readonly maxConnectionsPerClient: number
  readonly maxRequests: number
  readonly maxRequestsPerClient: number
  readonly maxBytes: number
  readonly maxBytesPerClient: number
  /** Whether sent messages are followed, and who may hand over others. */
  readonly pending: boolean
  readonly pendingConfirmed: boolean
  readonly pendingPushSecret: string | undefined
  /** Undefined: there is no streaming API. */
  readonly streams: StreamPlans | undefined
  readonly streamingV1: boolean
  readonly webhooks: {
    readonly deliver: boolean
    readonly allowPrivate: boolean
    readonly maxWaiting: number
  }
  readonly imageProxy: ImageProxy | undefined
  /** Names of NFT marketplaces by raw address. */
  readonly marketplaces: ReadonlyMap<string, string>
  /** Pages for browsers, and how much they show. */
  readonly pages: 'full' | 'public' | 'off'
  /** `NETWORK`. */
  readonly network: string
  /** Folder of cached global configs. */
  readonly dataDir: string
  /** `LITESERVERS`; default: those of the global config. */
  readonly liteServers: readonly ServerAddress[] | undefined
  readonly trustedProxies: readonly string[]
  /**
   * Threads that run get-methods of contracts, and what clients bring along; calls that may wait for them.
   */
  readonly tvmThreads: number
  readonly strangersTvmThreads: number
  readonly tvmQueue: number
  /** Until the reply to an emulation begins. Milliseconds. */
  readonly emulationTimeoutMs: number
  /** Threads that read large requests and write large replies. */
  readonly bodyThreads: number
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug'
  readonly logFormat: 'pretty' | 'json' | undefined
}

/** The settings of this process. Throws `SettingsError`, which lists all problems. */
export function readConfig(env: Environment): ApiConfig {
  const { settings } = readSettings({ env, readSecretFile: (path) => readFileSync(path, 'utf8') })
  const primary = settings.databaseUrl === undefined ? [] : [settings.databaseUrl]
  const databaseUrls = settings.databaseReadUrl ?? primary
  if (databaseUrls.length === 0)
    throw new SettingsError([
      'DATABASE_URL: the API needs a database to read from; `npm start` brings one of its own',
    ])
  const own = toEnvironment(settings)['LITESERVERS']
  return {
    pages: settings.pages ?? (isLoopbackHost(settings.apiHost) ? 'full' : 'public'),
    network: settings.network,
    dataDir: settings.dataDir,
    liteServers: own ? parseServerList(own) : undefined,
    host: settings.apiHost,
    port: settings.apiPort,
    metricsPort: settings.metricsPort,
    profile: settings.apiProfile,
    defaultLimit: settings.defaultLimit,
    databaseUrls,
    databaseWriteUrl: settings.databaseUrl,
    readsFromReplicas: settings.databaseReadUrl !== undefined,
    databaseWaitSeconds: settings.databaseWaitSeconds,
    poolSize: settings.databasePoolSize,
    redisUrl: settings.redisUrl,
    anonymousRps: settings.anonymousRps,
    openRps: settings.openRps,
    exportMaxRows: settings.exportMaxRows,
    exportConcurrency: settings.exportConcurrency,
    exportMaxLag: settings.exportMaxLag,
    exportPriority: settings.exportPriority,
    maxReplyBytes: settings.maxReplyMib * 1_048_576,
    maxConnections: settings.maxConnections,
    maxConnectionsPerClient: settings.maxConnectionsPerClient,
    maxRequests: settings.maxRequests,
    maxRequestsPerClient: settings.maxRequestsPerClient,
    maxBytes: settings.maxInFlightMib * 1_048_576,
    maxBytesPerClient: settings.maxInFlightMibPerClient * 1_048_576,
    imageProxy: imageProxy(settings),
    marketplaces: readMarketplaces(settings.marketplaceNames),
    trustedProxies: settings.trustedProxies,
    pending: settings.pending,
    pendingConfirmed: settings.pendingConfirmed,
    pendingPushSecret: settings.pendingPushSecret,
    streams: streamPlans(settings),
    streamingV1: settings.streamingV1,
    webhooks: {
      deliver: settings.webhooks,
      allowPrivate: settings.webhookPrivateTargets,
      maxWaiting: settings.webhookMaxWaiting,
    },
    tvmThreads: settings.apiTvmThreads,
    strangersTvmThreads: settings.apiEmulationThreads,
    tvmQueue: settings.apiTvmQueue,
    emulationTimeoutMs: settings.apiEmulationTimeoutMs,
    bodyThreads: settings.apiBodyThreads,
    logLevel: settings.logLevel,
    logFormat: settings.logFormat,
  }
}

/** Whether only this machine reaches the API. */
const isLoopbackHost = (host: string): boolean => host === 'localhost' || isLoopback(host)

function streamPlans(settings: Settings): StreamPlans | undefined {
  if (settings.maxStreams === 0) return undefined
  return {
    connections: settings.maxStreams,
    anonymous: { connections: settings.streamsPerClient, addresses: settings.streamAddresses },
    keyed: { connections: settings.streamsPerKey, addresses: settings.streamAddressesPerKey },
  }
}

function imageProxy(settings: Settings): ImageProxy | undefined {
  const {
    imageProxyUrl: url,
    imageProxyKey: key,
    imageProxySalt: salt,
    metadataIpfsGateways: gateways,
  } = settings
  if (url === undefined || key === undefined || salt === undefined) return undefined
  return {
    url,
    key: Buffer.from(key, 'hex'),
    salt: Buffer.from(salt, 'hex'),
    ...(gateways?.[0] !== undefined && { gateway: gateways[0] }),
  }
}
