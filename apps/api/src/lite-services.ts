import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { LiteServerPool, type NetworkConfig, parseGlobalConfig } from '@shardwalk/liteserver'
import type { Logger, MetricsRegistry, Shutdown } from '@shardwalk/observability'
import { TvmPool } from '@shardwalk/tvm'
import type { ApiConfig } from './config.ts'
import type { LiteServices } from './node/lazy-node.ts'

/** How often a missing global config is looked for. Milliseconds. */
const LOOK_AGAIN_MS = 500

interface Surroundings {
  readonly log: Logger
  readonly metrics: MetricsRegistry
  readonly shutdown: Shutdown
}

/**
 * Lite servers of the network whose global config `NETWORK` names. The file may appear later, because another
 * process serves a recorded chain; until then the result is undefined and API v2 replies that there is no
 * server.
 */
export function openLiteServices(config: ApiConfig, around: Surroundings): () => LiteServices | undefined {
  let services: LiteServices | undefined
  const path = config.networkConfig
  if (isAbsolute(path)) {
    waitForFile(path, around.shutdown.signal)
      .then((text) => {
        if (text !== undefined) services = open(parseGlobalConfig(text), config, around)
      })
      // What is indexed can be served without it.
      .catch((error: unknown) =>
        around.log.error('global config cannot be used; API v2 is off', { path, error }),
      )
  }
  return () => services
}

async function waitForFile(path: string, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    if (existsSync(path)) return readFileSync(path, 'utf8')
    await delay(LOOK_AGAIN_MS, undefined, { signal, ref: false }).catch(() => {})
  }
  return undefined
}

function open(
  network: NetworkConfig,
  config: ApiConfig,
  { log, metrics, shutdown }: Surroundings,
): LiteServices {
  const { zeroState, initBlock } = network
  const servers = config.liteServers ?? network.liteServers
  const pool = new LiteServerPool({ servers, ...(zeroState && { zeroState }), metrics, log })
  const tvm = tvmPool(config.tvmThreads, config.tvmQueue)
  const strangersTvm = tvmPool(config.strangersTvmThreads, config.tvmQueue)
  shutdown.onShutdown('lite servers', () => pool.close())
  shutdown.onShutdown('get-methods', () => Promise.all([tvm.close(), strangersTvm.close()]))
  log.info('lite servers', { count: servers.length })
  return { pool, tvm, strangersTvm, anchor: initBlock ?? zeroState }
}

/** No client has more than a quarter of the queue, nor the last thread when there are several. */
const tvmPool = (threads: number, maxWaiting: number): TvmPool =>
  new TvmPool({
    threads,
    maxWaiting,
    maxWaitingPerClient: Math.ceil(maxWaiting / 4),
    maxRunningPerClient: Math.max(1, threads - 1),
  })
