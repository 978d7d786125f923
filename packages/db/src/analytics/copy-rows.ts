import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { RowBatch } from './row-batch.ts'

const NEWLINE = 10

/** Position after the last newline; 0 without one. */
function endOfLines(chunk: Buffer): number {
  let end = chunk.length
  while (end > 0 && chunk[end - 1] !== NEWLINE) end--
  return end
}

/** Rows of a query with `width` columns. Nothing runs until `rows` is called or after it has ended. */
export interface RunningCopy {
  /** Reads the rows. Call it once, or `cancel` instead. */
  rows(): AsyncGenerator<RowBatch>
  cancel(): void
}

/**
 * Starts to copy: the server works ahead as far as the socket allows, also while the rows of an earlier query
 * are read.
 */
export async function startCopy(pool: pg.Pool, query: string, width: number): Promise<RunningCopy> {
  const client = await pool.connect()
  const stream = streamOf(client, query)
  let isReleased = false
  const release = (isDone: boolean) => {
    if (isReleased) return
    isReleased = true
    // The rest of a result that is not wanted any more would have to be read before another query.
    client.release(isDone ? undefined : true)
  }
  async function* rows(): AsyncGenerator<RowBatch> {
    let isDone = false
    try {
      yield* batchesOf(stream, width)
      isDone = true
    } finally {
      release(isDone)
    }
  }
  return { rows, cancel: () => release(false) }
}

/** Rows of a query on a connection, of which nothing else is asked until they have all been read. */
export async function* copyRows(
  client: pg.ClientBase,
  query: string,
  width: number,
): AsyncGenerator<RowBatch> {
  yield* batchesOf(streamOf(client, query), width)
}

function streamOf(client: pg.ClientBase, query: string): AsyncIterable<Buffer> {
  const stream = client.query(copyTo(`copy (${query}) to stdout`))
  // Until it is read, nothing listens for errors.
  stream.on('error', () => {})
  return stream
}

async function* batchesOf(stream: AsyncIterable<Buffer>, width: number): AsyncGenerator<RowBatch> {
  let rest: Buffer[] = []
  for await (const chunk of stream) {
    const end = endOfLines(chunk)
    if (end === 0) {
      rest.push(chunk)
      continue
    }
    const lines = chunk.subarray(0, end)
    const whole = rest.length > 0 ? Buffer.concat([...rest, lines]) : lines
    rest = end < chunk.length ? [chunk.subarray(end)] : []
    yield RowBatch.of(whole, width)
  }
}
