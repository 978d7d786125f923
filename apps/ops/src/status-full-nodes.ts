import type { StatusReport } from './status-report.ts'

type FullNodes = StatusReport['full_nodes'][number]
type FullNode = FullNodes['nodes'][number]

/** Nodes that are listed; `--json` has all that were reported. */
const LISTED = 5
/** Clocks that differ by less are no reason to do anything. Seconds. */
export const TOLERATED_OFFSET = 5

/** Lines of `status` by name; none if no process takes blocks from full nodes. */
export function fullNodeLines(processes: readonly FullNodes[]): Readonly<Record<string, string>> {
  if (processes.length === 0) return {}
  const sum = (key: 'bytes_in_per_second' | 'bytes_out_per_second') =>
    processes.reduce((total, one) => total + one[key], 0)
  const rate = (key: Parameters<typeof sum>[0]) => `${megabytes(sum(key))}/s`
  const nodes = processes.flatMap((one) => one.nodes).sort((a, b) => b.bytes - a.bytes)
  return {
    'full nodes': `${processes.map(overlaysText).join('; ')}${clockText(processes)}`,
    'their rates': `${rate('bytes_in_per_second')} in, ${rate('bytes_out_per_second')} out`,
    'most from': nodes.length === 0 ? 'nobody yet' : nodes.slice(0, LISTED).map(nodeText).join('; '),
  }
}

const overlaysText = ({ overlays, dht_servers: servers }: FullNodes): string =>
  `${overlays.map(overlayText).join(', ')}, ${servers} servers of the hash table`

function overlayText({ name, ready, resting, banned }: FullNodes['overlays'][number]): string {
  const others = [
    ...(resting > 0 ? [`${resting} asked last`] : []),
    ...(banned > 0 ? [`${banned} banned`] : []),
  ]
  return `${ready} in the ${name}${others.length === 0 ? '' : ` (${others.join(', ')})`}`
}

function clockText(processes: readonly FullNodes[]): string {
  const worst = processes
    .map((one) => one.clock_offset_seconds ?? 0)
    .reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0)
  if (Math.abs(worst) <= TOLERATED_OFFSET) return ''
  const how = `${Math.abs(worst).toFixed(0)} s ${worst > 0 ? 'slow' : 'fast'}`
  return `; the clock of this machine is ${how}: set it`
}

function nodeText({ address, asked, bytes, bytes_per_second: rate }: FullNode): string {
  const asking = `asked ${asked.short} short, ${asked.block} blocks, ${asked.archive} archive`
  return `${address} ${megabytes(bytes)}${rate === null ? '' : ` at ${megabytes(rate)}/s`} (${asking})`
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
