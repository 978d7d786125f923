import type { FullNodeJson } from '@shardwalk/tables'
import { formatBytes, formatCount, formatDuration } from '../text/numbers.ts'
import { visibleText } from '../text/visible-text.ts'
import type { FullNodes, Status } from './status.ts'

const UNKNOWN = '–'
const MAX_ROWS = 40
/** Of a name or an address. UTF-16 units. */
const MAX_TEXT = 60
/** Of an ADNL id, to tell processes apart. */
const SHORT_ID = 8

/** Rates of all processes together. */
export function fullNodeTexts({ full_nodes: processes }: Pick<Status, 'full_nodes'>): Record<string, string> {
  if (!processes?.length) return { nodesTraffic: UNKNOWN, nodesTable: UNKNOWN, nodesClock: UNKNOWN }
  const sum = (key: 'bytes_in_per_second' | 'bytes_out_per_second') =>
    processes.reduce((total, process) => total + process[key], 0)
  const rate = (key: Parameters<typeof sum>[0]) => `${formatBytes(sum(key))}/s`
  const servers = Math.max(...processes.map((process) => process.dht_servers))
  return {
    nodesTraffic: `${rate('bytes_in_per_second')} in, ${rate('bytes_out_per_second')} out`,
    nodesTable: `${formatCount(servers)} servers of the hash table answer`,
    nodesClock: clockText(processes),
  }
}

function clockText(processes: readonly FullNodes[]): string {
  const offsets = processes.map((process) => process.clock_offset_seconds).filter((offset) => offset !== null)
  const worst = offsets.sort((a, b) => Math.abs(b) - Math.abs(a))[0]
  if (worst === undefined) return 'their clocks are not known yet'
  const seconds = Math.round(Math.abs(worst))
  if (seconds <= 1) return 'clocks agree'
  return `our clock is ${formatDuration(seconds)} ${worst > 0 ? 'slow' : 'fast'}`
}

/** A row for each overlay of each process. */
export const overlayRows = (processes: readonly FullNodes[]): string[][] =>
  processes.flatMap((process) =>
    process.overlays.map(({ name, members, ready, resting, banned, broadcasts }) => [
      `${visibleText(name.slice(0, MAX_TEXT))}${suffix(process, processes)}`,
      ...[ready, resting, banned, members, broadcasts].map(formatCount),
    ]),
  )

/** Nodes that gave most, those of each process together. */
export const fullNodeRows = (processes: readonly FullNodes[]): string[][] =>
  processes
    .flatMap((process) => process.nodes.map((node) => row(node, suffix(process, processes))))
    .slice(0, MAX_ROWS)

const suffix = ({ id }: FullNodes, processes: readonly FullNodes[]): string =>
  processes.length > 1 ? ` of ${id.slice(0, SHORT_ID)}` : ''

const WORDS: Readonly<Record<FullNodeJson['state'], string>> = {
  ready: 'asked',
  resting: 'asked last',
  banned: 'banned',
}

function row(node: FullNodeJson, ofProcess: string): string[] {
  const { asked, answered, bytes, bytes_per_second: rate, mean_ms: mean } = node
  return [
    `${visibleText(node.address.slice(0, MAX_TEXT))}${ofProcess}`,
    WORDS[node.state],
    visibleText(node.overlays.join(', ').slice(0, MAX_TEXT)),
    formatCount(asked.short),
    formatCount(asked.block),
    formatCount(asked.archive),
    formatCount(answered),
    formatBytes(bytes),
    rate === null ? UNKNOWN : `${(rate / 1e6).toFixed(1)} MB/s`,
    mean === null ? UNKNOWN : `${Math.round(mean)} ms`,
  ]
}
