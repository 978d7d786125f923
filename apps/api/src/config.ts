import { readFileSync } from 'node:fs'
import { MARKETPLACES, readMarketplaces } from '@shardwalk/actions'
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
import type { StreamPlans } from './streaming/stream-places.ts'

/** Settings that are taken as they are given. */
const AS_GIVEN = [
  'network',
  'dataDir',
  'metricsPort',
  'defaultLimit',
  'databaseWaitSeconds',
  'redisUrl',
  'anonymousRps',
  'openRps',
  'exportMaxRows',
  'exportConcurrency',
  'exportMaxLag',
  'exportPriority',
  'maxConnections',
  'maxConnectionsPerClient',
  'maxRequests',
  'maxRequestsPerClient',
  'trustedProxies',
  'pending',
  'pendingConfirmed',
  'pendingPushSecret',
  'streamingV1',
  'logLevel',
  'logFormat',
] as const satisfies readonly (keyof Settings)[]

export interface ApiConfig extends Pick<Settings, (typeof AS_GIVEN)[number]> {
  readonly host: string
  readonly port: number
  readonly profile: 'standard' | 'toncenter'
  /** For reading, each with the same content; the user may lack all other rights. */
  readonly databaseUrls: readonly string[]
  /** For what the API writes; undefined: it writes nothing. */
  readonly databaseWriteUrl: string | undefined
  /** Whether `DATABASE_READ_URL` is given: replicas do not notify. */
  readonly readsFromReplicas: boolean
  readonly poolSize: number
  readonly maxReplyBytes: number
  readonly maxBytes: number
  readonly maxBytesPerClient: number
  /** Undefined: there is no streaming API. */
  readonly streams: StreamPlans | undefined
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
  /** `LITESERVERS`; default: those of the global config. */
  readonly liteServers: readonly ServerAddress[] | undefined
  /**
   * Threads that run get-methods of contracts, and what clients bring along; calls that may wait for them.
   */
  readonly tvmThreads: number
  readonly untrustedTvmThreads: number
  readonly tvmQueue: number
  /** Until the reply to an emulation begins. Milliseconds. */
  readonly emulationTimeoutMs: number
  /** Threads that read large requests and write large replies. */
  readonly bodyThreads: number
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
    ...picked(settings, AS_GIVEN),
    pages: settings.pages ?? (isLoopbackHost(settings.apiHost) ? 'full' : 'public'),
    liteServers: own ? parseServerList(own) : undefined,
    host: settings.apiHost,
    port: settings.apiPort,
    profile: settings.apiProfile,
    databaseUrls,
    databaseWriteUrl: settings.databaseUrl,
    readsFromReplicas: settings.databaseReadUrl !== undefined,
    poolSize: settings.databasePoolSize,
    maxReplyBytes: settings.maxReplyMib * 1_048_576,
    maxBytes: settings.maxInFlightMib * 1_048_576,
    maxBytesPerClient: settings.maxInFlightMibPerClient * 1_048_576,
    imageProxy: imageProxy(settings),
    marketplaces: marketplacesOf(settings),
    streams: streamPlans(settings),
    webhooks: {
      deliver: settings.webhooks,
      allowPrivate: settings.webhookPrivateTargets,
      maxWaiting: settings.webhookMaxWaiting,
    },
    tvmThreads: settings.apiTvmThreads,
    untrustedTvmThreads: settings.apiEmulationThreads,
    tvmQueue: settings.apiTvmQueue,
    emulationTimeoutMs: settings.apiEmulationTimeoutMs,
    bodyThreads: settings.apiBodyThreads,
  }
}

const picked = <T, K extends keyof T>(all: T, names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.map((name) => [name, all[name]])) as Pick<T, K>

function marketplacesOf({ marketplaceNames: file }: Settings): ReadonlyMap<string, string> {
  if (file === undefined) return MARKETPLACES
  try {
    return readMarketplaces(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new SettingsError([`MARKETPLACE_NAMES: ${file}: ${(error as Error).message}`])
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
