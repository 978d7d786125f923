import type { Json } from '@shardwalk/api-schema'
import type { Request, Response } from 'express'
import { writePieces } from './reply-writer.ts'
import type { Page, PageQuery } from './route.ts'

export type ExportFormat = 'ndjson' | 'csv'

const TYPES = { 'application/x-ndjson': 'ndjson', 'text/csv': 'csv' } as const
const PAGE_ROWS = 500

/**
 * The export format that the client prefers to JSON, if any. While exports are disabled, only a format
 * requested by a client that does not accept JSON.
 */
export function exportFormat(request: Request, enabled: boolean): ExportFormat | undefined {
  const best = request.accepts(['application/json', 'application/x-ndjson', 'text/csv'])
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
  readonly nextPage: (page: PageQuery) => Promise<Page>
}

/**
 * Writes all matching rows, page by page along the cursor, no faster than the client reads. If `maxRows` ends
 * the export early, the trailer `X-Next-Cursor` has the position. A failure closes the connection, so that a
 * truncated file does not appear complete.
 */
export async function streamExport(request: ExportRequest): Promise<void> {
  const { response, format, nextPage } = request
  let left = request.maxRows
  let page = await nextPage({
    limit: Math.min(PAGE_ROWS, left),
    offset: request.offset,
    cursor: request.cursor,
  })
  response.setHeader(
    'Content-Type',
    format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
  )
  if (response.req.method === 'HEAD') {
    response.end()
    return
  }
  // HTTP/1.0 has no chunked encoding and hence no trailers.
  const hasTrailers = response.req.httpVersion !== '1.0'
  if (hasTrailers) response.setHeader('Trailer', 'X-Next-Cursor')
  if (format === 'csv') response.write(`${request.columns.join(',')}\r\n`)
  try {
    for (;;) {
      const lines: string[] = []
      for await (const item of page.items) lines.push(toLine(item, request))
      left -= lines.length
      await writePieces(response, lines.join(''))
      if (!page.next || left <= 0 || response.destroyed) break
      page = await nextPage({ limit: Math.min(PAGE_ROWS, left), offset: 0, cursor: page.next })
    }
  } catch (error) {
    response.destroy()
    throw error
  }
  if (page.next && hasTrailers) response.addTrailers({ 'X-Next-Cursor': page.next })
  response.end()
}

function toLine(item: Json, { format, columns }: ExportRequest): string {
  if (format === 'ndjson') return `${item}\n`
  const row = JSON.parse(item) as Record<string, unknown>
  return `${columns.map((column) => csvField(row[column])).join(',')}\r\n`
}

/** RFC 4180. Null and absent values are empty, objects are JSON. */
function csvField(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
