import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { parseGlobalConfig, parseServerList, type ServerAddress } from '@shardwalk/liteserver'
import { toEnvironment } from '@shardwalk/settings'
import type { Context } from './context.ts'
import { fetchConfig, isFiles, NetworkUnreachable, writeConfig } from './network.ts'
import { CommandError, messageOf } from './outcome.ts'

/** A live network that answers, with the path of its global config. */
export interface ReachedNetwork {
  readonly configPath: string
  readonly warning?: string
}

const CONNECT_TIMEOUT_MS = 5_000

/**
 * Fetches the global config and connects to one of its lite servers. Throws `NetworkUnreachable` if either
 * fails.
 */
export async function reachNetwork({ network, settings, dataDir }: Context): Promise<ReachedNetwork> {
  if (isFiles(network)) throw new CommandError(`${settings.network} is a chain in files, not a live network`)
  const own = toEnvironment(settings)['LITESERVERS']
  const config = await fetchConfig(network, dataDir).catch((error: unknown) => {
    // With own servers, the config is needed only for facts about the network.
    if (!own || !(error instanceof NetworkUnreachable)) throw error
    return {
      path: writeConfig(`${network.slug}_own_servers`, dataDir, '{"liteservers":[]}'),
      warning: error.message,
    }
  })
  const servers = own
    ? parseServerList(own)
    : parseGlobalConfig(readFileSync(config.path, 'utf8')).liteServers
  await connectToAny(settings.network, servers)
  return { configPath: config.path, warning: config.warning }
}

export const acceptsConnection = (server: ServerAddress): Promise<boolean> =>
  tryConnect(server).then(
    () => true,
    () => false,
  )

async function connectToAny(network: string, servers: readonly ServerAddress[]): Promise<void> {
  try {
    await Promise.any(servers.map(tryConnect))
  } catch (error) {
    const first = error instanceof AggregateError ? error.errors[0] : error
    throw new NetworkUnreachable(
      network,
      `none of its ${servers.length} lite servers accepts a connection (${servers[0]?.name}: ` +
        `${messageOf(first)})`,
    )
  }
}

function tryConnect({ host, port }: ServerAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS })
    const finish = (error?: Error) => {
      socket.destroy()
      if (error) reject(error)
      else resolve()
    }
    socket.once('connect', () => finish())
    socket.once('timeout', () => finish(new Error(`no answer within ${CONNECT_TIMEOUT_MS} ms`)))
    socket.once('error', finish)
  })
}
