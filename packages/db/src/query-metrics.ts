import type { HistogramMetric, Metrics } from '@shardwalk/observability'
import pg from 'pg'
import { observeEnd } from './end-of-query.ts'

/** Number of texts whose names are remembered; lists of values make new texts. */
const MAX_TEXTS = 1000
/** Maximum number of label values; more would mean that names contain data. */
const MAX_NAMES = 200
const MAX_TEXT = 4000

type Observe = HistogramMetric<'query'>['observe']
type Named = Readonly<{ query: string }>

/**
 * Connections that time their statements: `db_query_duration_seconds{query}`, from sending the statement to
 * its last row, without waiting for a connection. `query` is the verb and the first table: `select messages`.
 */
export function measuringClient(metrics: Metrics, Client = pg.Client): typeof pg.Client {
  const help = 'Time of one statement, by what it does and the table that it begins with'
  const seconds = metrics.histogram('db_query_duration_seconds', help, ['query'])
  const nameOf = statementNames()
  class MeasuringClient extends Client {
    // biome-ignore lint/suspicious/noExplicitAny: one body for all overloads of the driver
    override query(...all: any[]): any {
      const [statement] = all
      if (typeof statement?.submit === 'function') watchScript(statement, seconds.observe.bind(seconds))
      const text = typeof statement === 'string' ? statement : statement?.text
      if (typeof text !== 'string') return super.query(...(all as [string]))
      const name = nameOf(text)
      const start = performance.now()
      const done = () => seconds.observe(name, (performance.now() - start) / 1000)
      return observeEnd(super.query.bind(this), all, done)
    }
  }
  return MeasuringClient
}

/** A script of COPYs has no text and ends when the server is ready again. */
function watchScript(script: pg.Submittable & { handleReadyForQuery?: () => void }, observe: Observe): void {
  const start = performance.now()
  const ready = script.handleReadyForQuery
  // A name of its own, so that the script does not become old (`observeEnd`).
  const observeAndReady = (...parameters: []) => {
    observe(SCRIPT, (performance.now() - start) / 1000)
    ready?.apply(script, parameters)
  }
  script.handleReadyForQuery = observeAndReady
}

const SCRIPT: Named = { query: 'copy' }
const OTHER: Named = { query: 'other' }

/** Names statements; each distinct text is parsed once. */
export function statementNames(): (text: string) => Named {
  const texts = new Map<string, Named>()
  const names = new Map<string, Named>()
  return (text) => {
    const known = texts.get(text)
    if (known) return known
    const query = statementName(text)
    const named = names.get(query) ?? (names.size < MAX_NAMES ? { query } : OTHER)
    if (named !== OTHER) names.set(query, named)
    if (texts.size < MAX_TEXTS) texts.set(text, named)
    return named
  }
}

/**
 * Examples: `select messages`, `insert traces`, `commit`. The first verb that is not part of a subquery, and
 * the first table that the text does not define itself (`with x as …`). The number of a partition is removed.
 */
function statementName(whole: string): string {
  const text = whole.slice(0, MAX_TEXT).replace(/\/\*.*?\*\//g, ' ')
  const verb = /^\s*([a-z]+)/i.exec(text)?.[1]?.toLowerCase() ?? 'other'
  if (!WITH_TABLE.has(verb)) return verb
  const own = new Set(
    [...text.matchAll(/([a-z_]\w*)\s+as\s+(?:materialized\s+)?\(/gi)].map((match) => match[1]),
  )
  const writes = verb === 'with' ? /\b(insert into|delete from|update)\b/i.exec(text)?.[1] : undefined
  const does = verb === 'with' ? (writes?.split(' ')[0]?.toLowerCase() ?? 'select') : verb
  for (const [, written, read] of text.matchAll(TABLES)) {
    const table = (written ?? read)!
    if (!own.has(table)) return `${does} ${table.replace(/_lt_\d+$/, '')}`
  }
  return does
}

const WITH_TABLE = new Set(['with', 'select', 'insert', 'update', 'delete', 'truncate', 'copy'])
/** A name followed by a parenthesis is a function, not a table; `do update set` has no table. */
const TABLES =
  /\b(?:(?:into|update|truncate|copy)\s+"?(?!set\b)([a-z_]\w*)|(?:from|join)\s+"?([a-z_]\w*)\b"?(?!\s*\())/gi
