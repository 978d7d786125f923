import { sleep } from '@shardwalk/concurrency'
import type { LiteServerPool, ServerAddress } from '@shardwalk/liteserver'
import type { Logger } from '@shardwalk/observability'
import type { LiveNetwork } from './choose-network.ts'
import { type FindConfigOptions, findConfig } from './find-config.ts'

export interface RefreshOptions extends FindConfigOptions {
  readonly choice: LiveNetwork
  readonly pool: Pick<LiteServerPool, 'readyServers' | 'replaceServers'>
  /** Value of `LITESERVERS`: if set, the config is not used and nothing is refreshed. */
  readonly own: readonly ServerAddress[] | undefined
  readonly log: Logger
  readonly signal: AbortSignal
  /** Milliseconds between two checks of the pool. Default 15 s. */
  readonly checkEveryMs?: number
}

const CHECK_EVERY_MS = 15_000
/** About a day, randomised so that processes started together do not download together. */
const refreshAfterMs = () => (22 + 4 * Math.random()) * 3_600_000
/** Number of checks without a ready server until the config is read again; it then doubles each time. */
const LOOKS_WITHOUT_SERVER = 2
const MOST_LOOKS_WITHOUT_SERVER = 240

/** Replaces the pool's servers by those of the config once a day, and when none of them answers. */
export async function keepServersFresh(options: RefreshOptions): Promise<void> {
  const { pool, own, log, signal, checkEveryMs = CHECK_EVERY_MS } = options
  if (own) return
  let refreshAt = performance.now() + refreshAfterMs()
  let silentLooks = 0
  let patience = LOOKS_WITHOUT_SERVER
  while (!signal.aborted) {
    await sleep(checkEveryMs, signal)
    if (signal.aborted) return
    const silent = pool.readyServers().length === 0
    silentLooks = silent ? silentLooks + 1 : 0
    if (!silent) patience = LOOKS_WITHOUT_SERVER
    if (performance.now() < refreshAt && silentLooks < patience) continue
    if (silent) patience = Math.min(MOST_LOOKS_WITHOUT_SERVER, 2 * patience)
    silentLooks = 0
    refreshAt = performance.now() + refreshAfterMs()
    await refresh(options, silent).catch((error: unknown) => log.warn('global config not read', { error }))
  }
}

async function refresh({ choice, pool, log, ...options }: RefreshOptions, silent: boolean): Promise<void> {
  const { config, origin, warning } = await findConfig(choice, { ...options, freshMs: 0 })
  const { added, removed } = pool.replaceServers(config.liteServers)
  log.info('lite servers refreshed', {
    reason: silent ? 'none of them answers' : 'daily',
    origin,
    count: config.liteServers.length,
    added,
    removed,
    ...(warning && { notice: warning }),
  })
}
