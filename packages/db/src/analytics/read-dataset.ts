import { StringDecoder } from 'node:string_decoder'
import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Dataset, Derived, FilterName } from './define-dataset.ts'
import type { SeqnoRange } from './ranges-of-days.ts'

/** A row as PostgreSQL's text. */
export type TextRow = (string | null)[]

/** Blocks per statement: a long one would keep vacuum from removing rows. */
const BLOCKS_PER_STATEMENT = 1_000

/** Ids of accounts, or texts, of which one has to match. */
export type DatasetFilters = Partial<Readonly<Record<FilterName, readonly (bigint | string)[]>>>

export interface DatasetRequest {
  readonly dataset: Dataset
  readonly columns: readonly string[]
  /** Undefined for a snapshot. */
  readonly range?: SeqnoRange
  readonly filters?: DatasetFilters
}

/** Rows of the range, or of the snapshot, in the order of the dataset; a few thousand at a time. */
export async function* readDataset(
  pool: pg.Pool,
  request: DatasetRequest,
): AsyncGenerator<readonly TextRow[]> {
  const { dataset, columns } = request
  const { select, complete } = selection(dataset, columns)
  for await (const condition of conditionsOf(pool, request)) {
    const query = `select ${select} ${dataset.from} where ${condition} order by ${dataset.order}`
    for await (const rows of copyRows(pool, query)) {
      if (complete) for (const row of rows) complete(row)
      yield rows
    }
  }
}

/** Number of rows that `readDataset` gives. */
export async function countDataset(pool: pg.Pool, request: DatasetRequest): Promise<bigint> {
  let rows = 0n
  for await (const condition of conditionsOf(pool, request)) {
    const { rows: found } = await pool.query<{ count: string }>(
      `select count(*)::text as count ${request.dataset.from} where ${condition}`,
    )
    rows += BigInt(found[0]!.count)
  }
  return rows
}

/** One for each statement, in order. */
async function* conditionsOf(
  pool: pg.Pool,
  { dataset, range, filters = {} }: DatasetRequest,
): AsyncGenerator<string> {
  const filtered = filterCondition(dataset, filters)
  if (!range || !dataset.position) {
    yield filtered
    return
  }
  const { seqno, lt } = dataset.position
  for (let from = range.from; from <= range.to; from += BLOCKS_PER_STATEMENT) {
    const to = Math.min(range.to, from + BLOCKS_PER_STATEMENT - 1)
    const bounds = await ltBounds(pool, { from, to })
    if (bounds)
      yield `${seqno} between ${from} and ${to} and ${lt} between ${bounds.start} and ${bounds.end}
       and ${filtered}`
  }
}

function filterCondition({ filters: columns = {} }: Dataset, filters: DatasetFilters): string {
  const conditions = Object.entries(filters).map(([name, values]) => {
    const list = values.map((value) => (typeof value === 'bigint' ? String(value) : quoted(value)))
    const type = name === 'type' ? 'text' : 'int8'
    const matching = (columns[name as FilterName] ?? []).map(
      (column) => `${column} = any (array[${list.join(', ')}]::${type}[])`,
    )
    return `(${matching.length > 0 ? matching.join(' or ') : 'false'})`
  })
  return conditions.length > 0 ? conditions.join(' and ') : 'true'
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

interface Selection {
  readonly select: string
  /** Puts computed values in the places of their sources. */
  readonly complete?: (row: TextRow) => void
}

/** Selected are columns and, behind them, the sources of those that are computed. */
function selection(dataset: Dataset, names: readonly string[]): Selection {
  const all = { ...dataset.columns, ...dataset.bocs }
  const expressions: string[] = []
  const computed: { readonly at: number; readonly derived: Derived }[] = []
  for (const [at, name] of names.entries()) {
    const expression = all[name]![1]
    if (typeof expression === 'string') expressions.push(`${expression} as "${name}"`)
    else {
      expressions.push('null')
      computed.push({ at, derived: expression })
    }
  }
  if (computed.length === 0) return { select: expressions.join(', ') }
  const used = [...new Set(computed.map(({ derived }) => derived.source))]
  const sources = used.map((name) => dataset.sources![name]!)
  const readers = sources.map(({ parse }, index) => ({
    parse,
    of: computed.filter(({ derived }) => derived.source === used[index]),
  }))
  const complete = (row: TextRow) => {
    for (const [index, { parse, of }] of readers.entries()) {
      const text = row[names.length + index]!
      if (text === null) continue
      const value = parse(text) as never
      for (const { at, derived } of of) row[at] = derived.read(value)
    }
    row.length = names.length
  }
  return { select: [...expressions, ...sources.map(({ expression }) => expression)].join(', '), complete }
}

/** Undefined if none of the blocks is indexed. */
async function ltBounds(
  pool: pg.Pool,
  { from, to }: SeqnoRange,
): Promise<{ readonly start: string; readonly end: string } | undefined> {
  const { rows } = await pool.query<{ start: string | null; end: string | null }>(
    `select min(batch_start_lt)::text as start, max(batch_end_lt)::text as end from blocks
     where workchain = -1 and shard = -9223372036854775808 and seqno between $1 and $2`,
    [from, to],
  )
  const { start, end } = rows[0]!
  return start === null || end === null ? undefined : { start, end }
}

/**
 * COPY in its text format, which is faster to read than rows: lines, with tabs between fields. The server
 * works ahead while a piece is being processed, as far as the socket allows.
 */
async function* copyRows(pool: pg.Pool, query: string): AsyncGenerator<TextRow[]> {
  const client = await pool.connect()
  let isDone = false
  try {
    const stream = client.query(copyTo(`copy (${query}) to stdout`))
    const decoder = new StringDecoder('utf8')
    let rest = ''
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.write(chunk)).split('\n')
      rest = lines.pop()!
      if (lines.length > 0) yield lines.map(readLine)
    }
    isDone = true
  } finally {
    // The rest of a result that is not wanted any more would have to be read before another query.
    client.release(isDone ? undefined : true)
  }
}

function readLine(line: string): TextRow {
  const fields: TextRow = line.split('\t')
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]!
    if (field.charCodeAt(0) === BACKSLASH) fields[at] = special(field)
    else if (field.includes('\\')) fields[at] = unescaped(field)
  }
  return fields
}

const BACKSLASH = 92

/** What begins with a backslash: null, bytes (hex, often long, without further escapes), or text. */
function special(field: string): string | null {
  if (field === '\\N') return null
  return field.charCodeAt(1) === BACKSLASH && !field.includes('\\', 2) ? field.slice(1) : unescaped(field)
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }

/** Source: PostgreSQL's documentation of COPY, text format. */
const unescaped = (field: string): string => field.replace(/\\(.)/gs, (_, one: string) => ESCAPES[one] ?? one)
