import { formatBytes, formatCount, formatDuration, formatTime } from '../text/numbers.ts'
import { visibleText } from '../text/visible-text.ts'

import { diskText } from './disk.tsx'
import { faultsText } from './faults-text.ts'
import { fullNodeRows, fullNodeTexts, overlayRows } from './full-nodes-view.ts'
import { type BarPart, rangeBar } from './range-bar.ts'
import type { Problem, Range, Server, Status } from './status.ts'
import { type Level, verdictOf } from './verdict.ts'

/**
 * The status as texts: what the page shows at first, and what the script puts in their place whenever it
 * changes.
 */
export interface StatusView {
  readonly title: string
  readonly level: Level
  readonly verdict: { readonly word: string; readonly text: string }
  /** Texts by the name of their place. */
  readonly texts: Readonly<Record<string, string>>
  readonly bar: readonly BarPart[]
  /** Rows of tables by the name of their place, as cells. */
  readonly rows: Readonly<Record<string, readonly (readonly string[])[]>>
  /** `Status.at`. */
  readonly at: number
  /** Whether servers and sizes are shown. */
  readonly isFull: boolean
  /** Whether blocks come from full nodes, too. */
  readonly hasFullNodes: boolean
}

/** Longest verdict, which may quote an answer of a server. UTF-16 units. */
const MAX_TEXT = 500
/** Rows of a table; the rest is counted in the last one. */
const MAX_ROWS = 12

/** The texts of the status page. */
export function toStatusView(status: Status): StatusView {
  const verdict = verdictOf(status)
  return {
    title: `${verdict.word} · ${status.newest ? formatCount(status.newest.seqno) : 'no block'}`,
    level: verdict.level,
    verdict: { word: verdict.word, text: visibleText(verdict.text.slice(0, MAX_TEXT)) },
    texts: {
      ...headTexts(status),
      ...workTexts(status),
      ...processTexts(status),
      ...fullNodeTexts(status),
      disk: diskText(status.disk),
    },
    bar: rangeBar(status),
    rows: {
      ranges: rangeRows(status),
      servers: (status.servers ?? []).slice(0, 50).map(serverRow),
      tables: tableRows(status),
      problems: (status.problems ?? []).map(problemRow),
      overlays: overlayRows(status.full_nodes ?? []),
      fullNodes: fullNodeRows(status.full_nodes ?? []),
    },
    at: status.at,
    isFull: status.servers !== null || status.database !== null,
    hasFullNodes: (status.full_nodes ?? []).length > 0,
  }
}

const UNKNOWN = '–'

function headTexts({ at, head, newest, missing, rate, proved, first }: Status) {
  const lag = head && newest ? Math.max(0, head.seqno - newest.seqno) : undefined
  const age = newest?.utime ? Math.max(0, at / 1000 - newest.utime) : undefined
  return {
    newest: newest ? formatCount(newest.seqno) : UNKNOWN,
    newestTime: newest?.utime ? `${formatTime(newest.utime)} UTC` : UNKNOWN,
    head: head ? formatCount(head.seqno) : UNKNOWN,
    lag: lag === undefined ? UNKNOWN : lag === 0 ? 'none' : `${formatCount(lag)} blocks`,
    age: age === undefined ? UNKNOWN : `${formatDuration(age)} old`,
    first: first === null ? UNKNOWN : formatCount(first),
    missing: missing === null ? UNKNOWN : formatCount(missing),
    left:
      rate.seconds_left === null ? (missing === 0 ? 'complete' : UNKNOWN) : formatDuration(rate.seconds_left),
    rate: rate.blocks_per_second === null ? UNKNOWN : `${rate.blocks_per_second.toFixed(1)} /s`,
    proved: proved ? formatCount(proved.seqno) : UNKNOWN,
  }
}

function workTexts({ quarantine, watched, waiting }: Status) {
  const number = (value: number | undefined) =>
    value === undefined || !waiting
      ? UNKNOWN
      : `${value >= waiting.counted_to ? 'over ' : ''}${formatCount(value)}`
  return {
    watched: watched && watched.items > 0 ? `${formatCount(watched.items)} of WATCH` : 'all',
    quarantine: quarantine
      ? formatCount(quarantine.blocks + quarantine.transactions + quarantine.states + quarantine.versions)
      : UNKNOWN,
    contracts: number(waiting?.contracts),
    missingStates: number(waiting?.missing_states),
    traces: number(waiting?.traces),
    tracesAge: waiting && waiting.traces > 0 ? formatDuration(waiting.traces_oldest_seconds) : UNKNOWN,
    failedTraces: number(waiting?.failed_traces),
    metadata: number(waiting?.metadata),
  }
}

function processTexts({ process, version, network, global_id, profile, database, at }: Status) {
  return {
    network: global_id === null ? network : `${network} (${global_id})`,
    profile,
    version,
    uptime: formatDuration(process.uptime_seconds),
    memory: formatBytes(process.memory_bytes),
    eventLoop: `${process.event_loop_ms.toFixed(1)} ms`,
    requests: `${process.requests_per_second.toFixed(1)} /s`,
    times: `${milliseconds(process.p50_ms)}, ${milliseconds(process.p99_ms)}`,
    watching: formatCount(process.watching),
    size: database ? sizeText(database) : UNKNOWN,
    at: `${formatTime(Math.floor(at / 1000))} UTC`,
  }
}

const milliseconds = (ms: number | null): string => (ms === null ? UNKNOWN : `${ms.toFixed(1)} ms`)

function sizeText({ bytes, tables }: NonNullable<Status['database']>): string {
  const transactions = tables.find(({ name }) => name === 'transactions')?.rows ?? 0
  const each =
    transactions > 0 ? `, ${formatCount(Math.round(bytes / transactions))} bytes a transaction` : ''
  return `${formatBytes(bytes)}${each}`
}

function rangeRows({ indexed, gaps, quarantine, watched, head }: Status): string[][] {
  const row = (state: string) => (range: Range) => ({ range, state })
  const all = [
    ...indexed.map(row('indexed')),
    ...gaps.map((range) => ({
      range,
      state: head?.followed === false ? 'missing; ingest does not run' : 'missing; queued',
    })),
    ...(quarantine?.ranges ?? []).map(row('in quarantine')),
    ...(watched?.partial ?? []).map(row('lacks what became wanted; see backfill')),
  ].sort((a, b) => b.range.from - a.range.from)
  const shown = all
    .slice(0, MAX_ROWS)
    .map(({ range, state }) => [
      formatCount(range.from),
      formatCount(range.to),
      formatCount(range.to - range.from + 1),
      state,
    ])
  const rest = all.length - shown.length
  return rest > 0 ? [...shown, ['…', '…', `${formatCount(rest)} more`, '']] : shown
}

const WORDS: Readonly<Record<Server['state'], string>> = {
  ready: 'up',
  connecting: 'down',
  banned: 'avoided',
}

const serverRow = ({
  name,
  state,
  head,
  latency_ms,
  archive,
  in_flight,
  faults,
  problem,
}: Server): string[] => [
  name,
  WORDS[state],
  head === null ? UNKNOWN : formatCount(head),
  latency_ms === null ? UNKNOWN : `${Math.round(latency_ms)} ms`,
  archive === null ? 'unknown' : archive ? 'yes' : 'no',
  formatCount(in_flight),
  faultsText(faults),
  problem === null ? '' : visibleText(problem.slice(0, 200)),
]

const problemRow = ({ kind, reason, count, first_seqno: first, last_seqno: last }: Problem): string[] => [
  kind,
  formatCount(count),
  first === last ? formatCount(first) : `${formatCount(first)} to ${formatCount(last)}`,
  visibleText(reason),
]

function tableRows({ database }: Status): string[][] {
  if (!database) return []
  const row = (name: string, rows: number, table: number, index: number) => [
    name,
    formatCount(Math.round(rows)),
    formatBytes(table),
    formatBytes(index),
  ]
  const rest = database.tables.slice(MAX_ROWS)
  const sum = (key: 'rows' | 'table_bytes' | 'index_bytes') => rest.reduce((all, one) => all + one[key], 0)
  return [
    ...database.tables
      .slice(0, MAX_ROWS)
      .map((one) => row(one.name, one.rows, one.table_bytes, one.index_bytes)),
    ...(rest.length > 0
      ? [row(`${rest.length} more`, sum('rows'), sum('table_bytes'), sum('index_bytes'))]
      : []),
  ]
}
