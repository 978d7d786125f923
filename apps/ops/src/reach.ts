import { connect } from 'node:net'
import { parseServerList, type ServerAddress } from '@shardwalk/liteserver'
import { isFiles, NetworkUnreachable, type ResolvedNetwork, resolveNetwork } from '@shardwalk/networks'
import { type Settings, toEnvironment } from '@shardwalk/settings'
import type { Context } from './context.ts'
import { CommandError, messageOf } from './outcome.ts'

const CONNECT_TIMEOUT_MS = 5_000

/** `LITESERVERS`; undefined if not set. */
export function ownServers(settings: Settings): readonly ServerAddress[] | undefined {
  const own = toEnvironment(settings)['LITESERVERS']
  return own ? parseServerList(own) : undefined
}

/**
 * Finds the global config and connects to one of its lite servers, if they are used. Throws
 * `NetworkUnreachable` if either fails.
 */
export async function reachNetwork({ network, settings, dataDir }: Context): Promise<ResolvedNetwork> {
  if (isFiles(network)) throw new CommandError(`${settings.network} is a chain in files, not a live network`)
  // Full nodes have all blocks.
  const needsServers = settings.source !== 'p2p'
  const resolved = await resolveNetwork(network, { dataDir, own: ownServers(settings), needsServers })
  if (needsServers) await connectToAny(settings.network, resolved.servers)
  return resolved
}

/** Whether a lite server accepts a TCP connection; never rejects. */
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
