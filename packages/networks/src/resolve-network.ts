import type { NetworkConfig, ServerAddress } from '@shardwalk/liteserver'
import type { LiveNetwork } from './choose-network.ts'
import { NetworkUnreachable } from './errors.ts'
import { type FindConfigOptions, findConfig } from './find-config.ts'

export interface ResolvedNetwork {
  readonly config: NetworkConfig
  /** Lite servers to connect to: those configured, otherwise those of the config. */
  readonly servers: readonly ServerAddress[]
  /** Why the config is not the published one, or what of it is left out. */
  readonly warning?: string | undefined
}

/**
 * The config and the servers of a network. If servers are configured, the config only adds what is
 * known about the network, so its absence is no error. Throws like `findConfig`.
 */
export async function resolveNetwork(
  choice: LiveNetwork,
  { own, ...options }: FindConfigOptions & { readonly own: readonly ServerAddress[] | undefined },
): Promise<ResolvedNetwork> {
  try {
    const { config, warning } = await findConfig(choice, own ? { ...options, needsServers: false } : options)
    return { config, servers: own ?? config.liteServers, warning }
  } catch (error) {
    if (!own || !(error instanceof NetworkUnreachable)) throw error
    return { config: { liteServers: [], hardForks: [] }, servers: own, warning: error.message }
  }
}
