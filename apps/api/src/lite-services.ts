import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { sleep } from '@shardwalk/concurrency'
import { LiteServerPool, trustedBlocks } from '@shardwalk/liteserver'
import {
  chooseNetwork,
  isFiles,
  keepServersFresh,
  type LiveNetwork,
  NetworkUnreachable,
  type ResolvedNetwork,
  resolveNetwork,
} from '@shardwalk/networks'
import type { Logger, MetricsRegistry, Shutdown } from '@shardwalk/observability'
import { TvmPool, type TvmPoolOptions } from '@shardwalk/tvm'
import type { ApiConfig } from './config.ts'
import type { LiteServices } from './node/lazy-node.ts'

/** How often to look for a file that does not exist yet. Milliseconds. */
const CHECK_AGAIN_MS = 500
/** Delays between attempts to get the global config. Milliseconds. */
const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 60_000

interface Surroundings {
  readonly log: Logger
  readonly metrics: MetricsRegistry
  readonly shutdown: Shutdown
  /** Whether threads run behind the one that starts them. Default: they do. */
  readonly isBackground?: boolean
}

/**
 * Lite servers of the network named by `NETWORK`. The result returns undefined until its global config is
 * available; everything indexed is served meanwhile.
 */
export function openLiteServices(config: ApiConfig, around: Surroundings): () => LiteServices | undefined {
  let services: LiteServices | undefined
  findServices(config, around).then(
    (found) => {
      services = found
    },
    (error: unknown) => around.log.error('there are no lite servers; API v2 is off', { error }),
  )
  return () => services
}

async function findServices(config: ApiConfig, around: Surroundings): Promise<LiteServices | undefined> {
  const { log, shutdown } = around
  await untilThere(config.network, shutdown.signal)
  if (shutdown.signal.aborted) return undefined
  const choice = chooseNetwork(config.network)
  if (isFiles(choice)) {
    log.info('a chain in files has no lite servers; API v2 is off')
    return undefined
  }
  const network = await resolveUntilFound(choice, config, around)
  return network && open(network, { choice, config, around })
}

/** The config of a recorded chain is written when its server starts, which may be later. */
async function untilThere(network: string, signal: AbortSignal): Promise<void> {
  while (isAbsolute(network) && !existsSync(network) && !signal.aborted) await sleep(CHECK_AGAIN_MS, signal)
}

async function resolveUntilFound(
  choice: LiveNetwork,
  { dataDir, liteServers: own }: ApiConfig,
  { log, shutdown: { signal } }: Surroundings,
): Promise<ResolvedNetwork | undefined> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS))
    try {
      const network = await resolveNetwork(choice, { dataDir, own })
      if (network.warning) log.warn('global config', { notice: network.warning })
      return network
    } catch (error) {
      if (!(error instanceof NetworkUnreachable)) throw error
      log.warn('no global config yet; API v2 waits for it', { error, again_in_ms: pauseMs })
      await sleep(pauseMs, signal)
    }
  return undefined
}

interface Opening {
  readonly choice: LiveNetwork
  readonly config: ApiConfig
  readonly around: Surroundings
}

function open({ config, servers }: ResolvedNetwork, opening: Opening): LiteServices {
  const { log, metrics, shutdown } = opening.around
  const { zeroState } = config
  const { pending, pendingConfirmed } = opening.config
  const asksNonfinal = pending && pendingConfirmed
  const pool = new LiteServerPool({ servers, ...(zeroState && { zeroState }), asksNonfinal, metrics, log })
  const { tvmThreads, untrustedTvmThreads, tvmQueue } = opening.config
  const both = { maxWaiting: tvmQueue, isBackground: opening.around.isBackground ?? true }
  const tvm = tvmPool({ ...both, threads: tvmThreads, idleMs: IDLE_TVM_MS })
  const untrustedTvm = tvmPool({ ...both, threads: untrustedTvmThreads, idleMs: IDLE_UNTRUSTED_MS })
  shutdown.onShutdown('lite servers', () => pool.close())
  shutdown.onShutdown('get-methods', () => Promise.all([tvm.close(), untrustedTvm.close()]))
  const { dataDir, liteServers: own } = opening.config
  void keepServersFresh({ choice: opening.choice, dataDir, own, pool, log, signal: shutdown.signal })
  log.info('lite servers', { count: servers.length })
  return { pool, tvm, untrustedTvm, anchor: trustedBlocks(config).at(-1) }
}

/** A TVM thread that holds more memory after a call is replaced. Bytes. */
const MAX_TVM_BYTES = 64 * 1024 * 1024
/** Starting a thread again takes 0.1 s. Milliseconds. */
const IDLE_TVM_MS = 10_000
/** The same for previews, whose few places are soon taken while a thread starts. */
const IDLE_UNTRUSTED_MS = 60_000

type PoolOptions = Required<Pick<TvmPoolOptions, 'threads' | 'maxWaiting' | 'idleMs' | 'isBackground'>>

/** A client may use at most a quarter of the queue and, when there are several threads, all but one. */
const tvmPool = (options: PoolOptions): TvmPool =>
  new TvmPool({
    ...options,
    maxWaitingPerClient: Math.ceil(options.maxWaiting / 4),
    maxRunningPerClient: Math.max(1, options.threads - 1),
    maxHeapBytes: MAX_TVM_BYTES,
  })
