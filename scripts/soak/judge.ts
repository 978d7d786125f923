import { type Point, settledGrowth, Verdicts } from '@shardwalk/testkit'
import { MEASURED, type Row } from './observer.ts'

/** A process that lives for less has not settled. */
const LEAST_LIFE_MS = 2 * 60_000
/** V8 and malloc keep what they may need again: a level that moves by this much is still one. */
const MEMORY_MB = 48
const QUEUES_MB = 8
const DEAD_PERCENT = 20
const DEAD_RISE_PERCENT = 5
const LAG_SECONDS = 60
const LAG_RISE_SECONDS = 2
const CONNECTIONS_RISE = 4

export interface Outcome {
  readonly rows: readonly Row[]
  /** By process and its id. */
  readonly memories: ReadonlyMap<string, readonly Point[]>
  /** Blocks, once the queues are empty. */
  readonly missing: number
  /** Lines of the log that report a lite server. */
  readonly reported: readonly string[]
  /** Whether every block in the tables equals that of the chain. */
  readonly isVerified: boolean
}

export function judge(outcome: Outcome): Verdicts {
  const { rows, memories, missing, reported, isVerified } = outcome
  const verdicts = new Verdicts()
  const failed = rows.flatMap((row) => row.failed)
  const forms = [...new Set(failed.map(({ status, form }) => `${status} ${form}`))].slice(0, 5)
  verdicts.add(
    'no 5xx other than refusals after kills',
    failed.length === 0,
    `${failed.length} ${forms.join(', ')}`,
  )
  judgeMemory(verdicts, memories)
  judgeRows(verdicts, rows)
  verdicts.atMost('deadlocks', 0, Math.max(...rows.map((row) => row.deadlocks)), 'deadlocks')
  verdicts.atMost('missing at rest', 0, missing, 'blocks')
  verdicts.add('no lite server is reported', reported.length === 0, `${reported.length} ${reported[0] ?? ''}`)
  verdicts.add('the tables have what the chain has', isVerified, isVerified ? 'they do' : 'see the log')
  return verdicts
}

function judgeMemory(verdicts: Verdicts, memories: Outcome['memories']): void {
  for (const name of MEASURED) {
    const grown = [...memories]
      .filter(([key]) => key.startsWith(`${name} `))
      .flatMap(([, points]) => growth(points))
    if (grown.length === 0) verdicts.add(`memory of ${name}`, true, 'no process lived long enough to tell')
    else verdicts.atMost(`growth of ${name}, once settled`, MEMORY_MB, Math.max(...grown), 'MB')
  }
}

function judgeRows(verdicts: Verdicts, rows: readonly Row[]): void {
  const of = (value: (row: Row) => number) =>
    settledGrowth(rows.map((row) => ({ at: row.at, value: value(row) })))
  verdicts.atMost(
    'growth of queues and progress',
    QUEUES_MB,
    of((row) => row.queuesMb),
    'MB',
  )
  const dead = Math.max(...rows.map((row) => row.deadShare * 100))
  verdicts.atMost('dead tuples, of all bytes', DEAD_PERCENT, dead, '%')
  verdicts.atMost(
    'rise of that',
    DEAD_RISE_PERCENT,
    of((row) => row.deadShare * 100),
    'points',
  )
  verdicts.atMost('lag of the head', LAG_SECONDS, Math.max(...rows.map((row) => row.lag)), 's')
  verdicts.atMost(
    'rise of its median',
    LAG_RISE_SECONDS,
    of((row) => row.medianLag),
    's',
  )
  verdicts.atMost(
    'rise of connections',
    CONNECTIONS_RISE,
    of((row) => row.connections),
    'connections',
  )
}

const growth = (points: readonly Point[]): number[] =>
  points.at(-1)!.at - points[0]!.at < LEAST_LIFE_MS ? [] : [settledGrowth(points)]
