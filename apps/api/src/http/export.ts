import { InvalidQuery, type Json, type RawQuery } from '@shardwalk/api-schema'
import { realTime, type Time } from '@shardwalk/concurrency'
import { csvField, withoutFormula } from '@shardwalk/exports/csv'
import type { Page } from '@shardwalk/replies'
import type { Request, Response } from 'express'
import { breakOff } from './break-off.ts'
import { flushEncoder } from './compress-replies.ts'
import { ENOUGH_MS, type ExportPace } from './export-pace.ts'
import { parseReply } from './parse-reply.ts'
import { writePieces } from './reply-writer.ts'
import type { PageQuery } from './route.ts'

export type ExportFormat = 'ndjson' | 'csv'

/** Parameters of every list, beside its own. */
export const EXPORT_SETTINGS = ['format', 'summary'] as const

const TYPES = {
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'text/csv': 'csv',
} as const
const FORMATS = ['json', 'ndjson', 'csv'] as const

/**
 * The export format that the client asks for by `format`, or prefers to JSON by its header `Accept`. While
 * exports are disabled, the header counts only if the client does not accept JSON. Throws `InvalidQuery`.
 */
export function exportFormat(request: Request, raw: RawQuery, enabled: boolean): ExportFormat | undefined {
  const given = raw.get('format')?.at(-1)
  if (given !== undefined) {
    const format = FORMATS.find((one) => one === given.toLowerCase())
    if (!format)
      throw new InvalidQuery(
        `wrong value for parameter "format": ${JSON.stringify(given.slice(0, 100))} is not a format; ` +
          `accepted: ${FORMATS.join(', ')}`,
      )
    return format === 'json' ? undefined : format
  }
  const best = request.accepts(['application/json', ...Object.keys(TYPES)])
  if (!best || (!enabled && request.accepts('application/json'))) return undefined
  return (TYPES as Record<string, ExportFormat>)[best]
}

export interface ExportRequest {
  readonly response: Response
  readonly format: ExportFormat
  /** Columns of CSV: all keys that a row may have. */
  readonly columns: readonly string[]
  readonly maxRows: number
  readonly offset: number
  readonly cursor?: string | undefined
  /** NDJSON: a last line says what the trailers say, which many programs cannot read. */
  readonly summary: boolean
  readonly nextPage: (page: PageQuery) => Promise<Page>
  readonly pace: Pick<ExportPace, 'rows' | 'rest'>
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal
}

/**
 * Writes all matching rows, page by page along the cursor, no faster than the client reads. The trailers say
 * how many rows there are and whether `maxRows` ended the export early; a summary, whether time did. A
 * failure closes the connection, so that a truncated file does not appear complete.
 */
export async function streamExport(
  request: ExportRequest,
  time: Pick<Time, 'now'> = realTime,
): Promise<void> {
  const { response, nextPage, pace, signal } = request
  let rows = 0
  let startedAt = time.now()
  const endsAt = hasSummary(request) ? startedAt + ENOUGH_MS : Number.POSITIVE_INFINITY
  const next = (place: Omit<PageQuery, 'limit'>) =>
    nextPage({ limit: Math.min(pace.rows, request.maxRows - rows), ...place })
  let page = await next({ offset: request.offset, cursor: request.cursor })
  setHeaders(request)
  if (response.req.method === 'HEAD') {
    response.end()
    return
  }
  if (request.format === 'csv') response.write(`${request.columns.join(',')}\r\n`)
  try {
    for (;;) {
      const lines: string[] = []
      for await (const item of page.items) lines.push(toLine(item, request))
      rows += lines.length
      await writePieces(response, lines.join(''))
      if (!page.next || rows >= request.maxRows || response.destroyed || time.now() >= endsAt) break
      flushEncoder(response)
      await pace.rest(time.now() - startedAt, signal)
      startedAt = time.now()
      page = await next({ offset: 0, cursor: page.next })
    }
  } catch (error) {
    breakOff(response)
    throw error
  }
  finish(request, { rows, next: page.next })
}

function setHeaders(request: ExportRequest): void {
  const { response, format, maxRows } = request
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson'
  response.setHeader('Content-Type', `${type}; charset=utf-8`)
  response.setHeader('X-Export-Max-Rows', maxRows)
  if (response.req.method !== 'HEAD' && hasTrailers(request))
    response.setHeader('Trailer', 'X-Export-Rows, X-Export-Complete, X-Next-Cursor')
}

/** HTTP/1.0 has no chunked encoding and hence no trailers. */
const hasTrailers = ({ response }: ExportRequest): boolean => response.req.httpVersion !== '1.0'

interface Outcome {
  readonly rows: number
  readonly next: string | undefined
}

const hasSummary = ({ format, summary }: ExportRequest): boolean => format === 'ndjson' && summary

function finish(request: ExportRequest, { rows, next }: Outcome): void {
  const { response } = request
  const complete = next === undefined
  if (hasTrailers(request))
    response.addTrailers({
      'X-Export-Rows': String(rows),
      'X-Export-Complete': String(complete),
      ...(next && { 'X-Next-Cursor': next }),
    })
  if (hasSummary(request))
    response.write(`${JSON.stringify({ _summary: { rows, complete, next_cursor: next ?? null } })}\n`)
  response.end()
}

const toLine = (item: Json, { format, columns }: ExportRequest): string =>
  format === 'ndjson' ? `${item}\n` : csvLine(item, columns)

/** A row of a list as a line of CSV. Within objects, integers that a double may not hold are texts. */
export function csvLine(item: Json, columns: readonly string[]): string {
  const row = parseReply<Readonly<Record<string, unknown>>>(item)
  return `${columns.map((column) => csvField(cellOf(row[column]))).join(',')}\r\n`
}

/**
 * Null and absent values are empty, objects are JSON. Texts are untrusted: none may be a formula for a
 * spreadsheet.
 */
function cellOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'object') return JSON.stringify(value)
  return typeof value === 'string' ? withoutFormula(value) : String(value)
}
