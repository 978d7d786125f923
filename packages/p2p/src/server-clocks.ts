import type { NodeClock } from '@shardwalk/adnl'
import { type DhtConfig, type DhtServer, serversOf, serverTime, TIME_QUESTION } from '@shardwalk/dht'
import { UdpNode, type UdpNodeOptions } from './udp-node.ts'

export interface ServerClocksOptions extends Pick<UdpNodeOptions, 'host' | 'line'> {
  readonly config: DhtConfig
  readonly clock: NodeClock
  /** Ends it. */
  readonly signal: AbortSignal
  /** Called with the time of a server, in Unix seconds, when it has answered. */
  readonly onTime: (server: DhtServer, unixTime: number) => void
}

const ANSWER_MS = 3_000
/** After every possible date. Unix seconds. */
const END_OF_TIME = 2 ** 32

/**
 * Asks the servers of the global config for the time, as a node of its own that exists only meanwhile and
 * dates itself before, and all others after, whatever the clocks say: else neither side might take what the
 * other sends. That the servers are right follows from the config, as everything else does.
 */
export async function askServerClocks(options: ServerClocksOptions): Promise<void> {
  const { config, clock, signal, onTime, ...place } = options
  const timeless: NodeClock = { now: () => clock.now(), unixTime: () => END_OF_TIME }
  const node = new UdpNode({ ...place, clock: timeless, startedAt: 1 })
  await node.listen()
  const end = () => void node.close()
  signal.addEventListener('abort', end, { once: true })
  try {
    signal.throwIfAborted()
    const asked = serversOf(config.staticNodes, clock.unixTime()).map(async (server) => {
      const peer = node.peer(server.publicKey, server.address)
      const time = serverTime(await node.ask(peer, TIME_QUESTION, ANSWER_MS), server)
      if (time !== undefined) onTime(server, time)
    })
    await Promise.allSettled(asked)
  } finally {
    signal.removeEventListener('abort', end)
    await node.close()
  }
}
