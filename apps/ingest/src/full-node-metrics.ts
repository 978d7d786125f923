import type { Metrics } from '@shardwalk/observability'
import type { FullNodeSource } from '@shardwalk/sources'

/** Metrics of the network of full nodes, read when they are asked for. */
export function fullNodeMetrics(metrics: Metrics, source: Pick<FullNodeSource, 'report'>): void {
  metrics.gauge('p2p_peers', 'Full nodes that are known', ['overlay', 'state'], (gauge) => {
    for (const [overlay, states] of Object.entries(source.report().peers))
      for (const [state, count] of Object.entries(states)) gauge.set({ overlay, state }, count)
  })
  metrics.gauge('p2p_dht_servers', 'Servers of the hash table that answer', [], (gauge) =>
    gauge.set({}, source.report().dhtServers),
  )
  metrics.gauge('p2p_udp', 'Datagrams by what became of them, peers and channels', ['kind'], (gauge) => {
    for (const [kind, count] of Object.entries(source.report().udp)) gauge.set({ kind }, count)
  })
  metrics.gauge('p2p_broadcasts', 'Parts of broadcasts and whole ones', ['overlay', 'kind'], (gauge) => {
    for (const [overlay, counts] of Object.entries(source.report().broadcasts))
      for (const [kind, count] of Object.entries(counts)) gauge.set({ overlay, kind }, count)
  })
  metrics.gauge('p2p_head_blocks', 'New masterchain blocks by how they were learned', ['how'], (gauge) => {
    for (const [how, count] of Object.entries(source.report().head)) gauge.set({ how }, count)
  })
  metrics.gauge('p2p_archives', 'Archive files of full nodes, and their bytes', ['kind'], (gauge) => {
    for (const [kind, count] of Object.entries(source.report().archives)) gauge.set({ kind }, count)
  })
  metrics.gauge('p2p_transfer_bytes', 'Bytes held by transfers in progress', [], (gauge) =>
    gauge.set({}, source.report().transferBytesHeld),
  )
}
