import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { COPY_HEADER, COPY_TRAILER } from '../rows/copy-buffer.ts'
import type { EncodedRows } from '../rows/encode-batch.ts'

/** Larger pieces only grow the socket's buffer. */
const PIECE_BYTES = 1 << 18

/** Streams rows of any number of batches into a table in one COPY. */
export async function copyInto(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
  parts: readonly EncodedRows[],
): Promise<number> {
  const filled = parts.filter((part) => part.rows > 0)
  if (filled.length === 0) return 0
  const stream = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin (format binary)`))
  await pipeline(Readable.from(pieces(filled), { objectMode: false }), stream)
  return filled.reduce((sum, part) => sum + part.rows, 0)
}

function* pieces(parts: readonly EncodedRows[]): Generator<Buffer> {
  yield COPY_HEADER
  for (const { bytes } of parts)
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const length = Math.min(PIECE_BYTES, bytes.length - at)
      yield Buffer.from(bytes.buffer, bytes.byteOffset + at, length)
    }
  yield COPY_TRAILER
}
