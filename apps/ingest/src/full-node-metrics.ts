import type { GaugeMetric, Metrics } from '@shardwalk/observability'
import type { FullNodeObserver, FullNodeSource } from '@shardwalk/sources'

type Reporting = Pick<FullNodeSource, 'report' | 'peers'>

/** From a block's `gen_utime`, which has whole seconds, until it is here. */
const AGE_BUCKETS = [0.5, 1, 1.5, 2, 3, 4, 6, 10, 20, 60]

/** Counts which of two sources had a new block first; `source`: its name. */
export function firstSourceCounter(metrics: Metrics): (source: string) => void {
  const first = metrics.counter('p2p_head_first_total', 'New masterchain blocks by who had them first', [
    'source',
  ])
  return (source) => first.inc({ source })
}

/** Times that are observed when they have passed: give it to the source. */
export function fullNodeObserver(metrics: Metrics): FullNodeObserver {
  const lookup = metrics.histogram('p2p_dht_lookup_seconds', 'Look-ups in the hash table', ['what', 'result'])
  const age = metrics.histogram(
    'p2p_block_age_seconds',
    'From gen_utime of a masterchain block until it is complete, by how it was learned',
    ['how'],
    AGE_BUCKETS,
  )
  return {
    onLookup: ({ what, isFound, tookMs }) =>
      lookup.observe({ what, result: isFound ? 'found' : 'not found' }, tookMs / 1_000),
    onNewBlock: (how, seconds) => age.observe({ how }, seconds),
  }
}

/** Metrics of the network of full nodes, read when they are asked for. */
export function fullNodeMetrics(metrics: Metrics, source: Reporting): void {
  const read = () => source.report()
  networkMetrics(metrics, read)
  transferMetrics(metrics, read)
  blockMetrics(metrics, read)
  metrics.gauge(
    'p2p_peer_bytes_per_second',
    'Rates of single full nodes in long answers: slowest, median, fastest',
    ['of'],
    (gauge) => setRates(gauge, source.peers()),
  )
}

type Read = () => ReturnType<Reporting['report']>

function networkMetrics(metrics: Metrics, read: Read): void {
  metrics.gauge('p2p_peers', 'Full nodes that are known', ['overlay', 'state'], (gauge) => {
    for (const [overlay, states] of Object.entries(read().peers))
      for (const [state, count] of Object.entries(states)) gauge.set({ overlay, state }, count)
  })
  metrics.gauge('p2p_members', 'Full nodes that others have named as members', ['overlay'], (gauge) => {
    for (const [overlay, count] of Object.entries(read().members)) gauge.set({ overlay }, count)
  })
  metrics.gauge('p2p_dht_servers', 'Servers of the hash table that answer', [], (gauge) =>
    gauge.set({}, read().dhtServers),
  )
  metrics.gauge('p2p_udp', 'Datagrams by what became of them, peers and channels', ['kind'], (gauge) =>
    setAll(gauge, read().udp),
  )
  metrics.gauge('p2p_bytes', 'Bytes of datagrams', ['direction'], (gauge) => {
    for (const [direction, count] of Object.entries(read().bytes)) gauge.set({ direction }, count)
  })
  metrics.gauge('p2p_clock_offset_seconds', 'How far clocks of full nodes are ahead', [], (gauge) => {
    const { clockOffsetSeconds } = read()
    if (clockOffsetSeconds !== undefined) gauge.set({}, clockOffsetSeconds)
  })
}

function transferMetrics(metrics: Metrics, read: Read): void {
  metrics.gauge('p2p_transfers', 'Transfers, their bytes and symbols', ['kind'], (gauge) =>
    setAll(gauge, read().transfers),
  )
  metrics.gauge('p2p_transfer_bytes', 'Bytes held by transfers in progress', [], (gauge) =>
    gauge.set({}, read().transferBytesHeld),
  )
  metrics.gauge('p2p_restored', 'Parts restored from symbols', [], (gauge) =>
    gauge.set({}, read().restored.count),
  )
  metrics.gauge('p2p_restored_seconds', 'Time that restoring parts took', [], (gauge) =>
    gauge.set({}, read().restored.seconds),
  )
  metrics.gauge('p2p_queries', 'Queries to full nodes by kind and result', ['kind', 'result'], (gauge) => {
    for (const [kind, results] of Object.entries(read().queries))
      for (const [result, count] of Object.entries(results)) gauge.set({ kind, result }, count)
  })
}

function blockMetrics(metrics: Metrics, read: Read): void {
  metrics.gauge('p2p_broadcasts', 'Parts of broadcasts and whole ones', ['overlay', 'kind'], (gauge) => {
    for (const [overlay, counts] of Object.entries(read().broadcasts))
      for (const [kind, count] of Object.entries(counts)) gauge.set({ overlay, kind }, count)
  })
  metrics.gauge('p2p_head_blocks', 'New masterchain blocks by how they were learned', ['how'], (gauge) => {
    for (const [how, count] of Object.entries(read().head)) gauge.set({ how }, count)
  })
  metrics.gauge('p2p_archives', 'Archive files of full nodes, and their bytes', ['kind'], (gauge) =>
    setAll(gauge, read().archives),
  )
  metrics.gauge('p2p_archives_refused', 'Archive files that were refused', ['reason'], (gauge) => {
    for (const [reason, count] of Object.entries(read().archivesRefused)) gauge.set({ reason }, count)
  })
  metrics.gauge('p2p_archive_answers', 'Answers of nodes whether they have an archive', ['has'], (gauge) => {
    for (const [has, count] of Object.entries(read().archiveAnswers)) gauge.set({ has }, count)
  })
}

function setAll(gauge: GaugeMetric<'kind'>, counts: Readonly<Record<string, number>>): void {
  for (const [kind, count] of Object.entries(counts)) gauge.set({ kind }, count)
}

function setRates(gauge: GaugeMetric<'of'>, peers: ReturnType<Reporting['peers']>): void {
  const rates = peers
    .map(({ bytesPerSecond }) => bytesPerSecond)
    .filter((rate) => rate !== undefined)
    .sort((a, b) => a - b)
  if (rates.length === 0) return
  gauge.set({ of: 'slowest' }, rates[0]!)
  gauge.set({ of: 'median' }, rates[rates.length >> 1]!)
  gauge.set({ of: 'fastest' }, rates.at(-1)!)
}
