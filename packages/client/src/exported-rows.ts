/** The last line of an export as NDJSON with `summary`. */
interface Summary {
  readonly complete: boolean
  readonly next_cursor: string | null
}

/**
 * Rows of exports that continue each other, until nothing or `limit` is left. `open` begins an export with
 * other parameters. Throws if one ends without its summary.
 */
export async function* exportedRows(
  open: (parameters: object) => AsyncIterable<Uint8Array>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<object> {
  let left = limit
  let summary: Summary | undefined
  do {
    const cursor = summary?.next_cursor
    const continued = { cursor, offset: undefined, ...(Number.isFinite(left) && { limit: left }) }
    const lines = linesOf(open(summary ? continued : {}))
    summary = undefined
    for await (const line of lines) {
      const row = JSON.parse(line) as { readonly _summary?: Summary }
      if (row._summary) {
        summary = row._summary
      } else {
        left--
        yield row
      }
    }
    if (!summary) throw new Error('the export ended without a summary: rows may be missing')
  } while (!summary.complete && summary.next_cursor !== null && left > 0)
}

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
