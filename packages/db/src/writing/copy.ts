import type { TableDefinition } from '@shardwalk/tables'
import type pg from 'pg'
import { COPY_HEADER, COPY_TRAILER } from '../rows/copy-buffer.ts'
import type { EncodedRows } from '../rows/encoded-rows.ts'
import { type KeptStatement, kept } from './kept-plans.ts'

/** Rows of any number of batches for one table. */
export interface Copy {
  readonly table: string
  readonly columns: readonly string[]
  readonly parts: readonly EncodedRows[]
}

/** `parts`: rows from a `CopyBuffer` of the table. */
export const copyOf = ({ name, copied }: TableDefinition, parts: readonly EncodedRows[]): Copy => ({
  table: name,
  columns: copied,
  parts,
})

/** A step of a script: rows for a table, or a statement without parameters. */
export type Step = Copy | string

/** Copies rows into a table in one COPY. Returns their number. */
export async function copyInto(
  client: pg.ClientBase,
  table: TableDefinition,
  parts: readonly EncodedRows[],
): Promise<number> {
  await runScript(client, [copyOf(table, parts)])
  return countRows({ parts })
}

/** Number of rows of all parts. */
export const countRows = ({ parts }: Pick<Copy, 'parts'>): number =>
  parts.reduce((sum, part) => sum + part.rows, 0)

/**
 * Runs the steps in order in one round trip. Fails with the first error, which also ends the caller's
 * transaction.
 */
export async function runScript(client: pg.ClientBase, steps: readonly Step[]): Promise<void> {
  const wanted = steps.filter((step) => typeof step === 'string' || countRows(step) > 0)
  if (wanted.length === 0) return
  const statements = wanted.map((step) => (typeof step === 'string' ? kept(client, step) : statementOf(step)))
  const copies = wanted.filter((step) => typeof step !== 'string')
  await new Promise<void>((resolve, reject) => {
    client.query(new Script(statements.map(({ text }) => text).join('; '), copies, resolve, reject))
  })
  for (const { remember } of statements) remember?.()
}

/** The parts of pg's connection that a script needs. */
interface Connection {
  query(text: string): void
  readonly stream: { cork(): void; write(bytes: Uint8Array): unknown; uncork(): void }
}

/**
 * Sends the statements as one query, directly followed by the data of all COPYs. The server reads them in
 * order and discards the rest after an error. Source: PostgreSQL manual, "Message Flow", simple query and
 * COPY operations; `Submittable` is pg's interface for queries.
 */
class Script implements pg.Submittable {
  constructor(
    private readonly text: string,
    private readonly copies: readonly Copy[],
    private readonly resolve: () => void,
    private readonly reject: (error: Error) => void,
  ) {}

  submit(to: unknown): void {
    const { stream } = to as Connection
    stream.cork()
    ;(to as Connection).query(this.text)
    for (const copy of this.copies) for (const bytes of messagesOf(copy)) stream.write(bytes)
    stream.uncork()
  }

  handleError(error: Error): void {
    this.reject(error)
  }

  handleReadyForQuery(): void {
    this.resolve()
  }

  /** The data has been sent already. */
  handleCopyInResponse(): void {}

  handleCommandComplete(): void {}
}

const statementOf = ({ table, columns }: Copy): KeptStatement => ({
  text: `copy ${table} (${columns.join(', ')}) from stdin (format binary)`,
})

/** Source: PostgreSQL manual, "Message Formats": a letter, and a length that counts itself. */
const COPY_DONE = Buffer.from([0x63, 0, 0, 0, 4])
/** A message may hold 1 GB. The parts of many batches are joined into messages of at least this size. */
const MESSAGE_BYTES = 1 << 20

function* messagesOf({ parts }: Copy): Generator<Uint8Array> {
  let pending: Uint8Array[] = [COPY_HEADER]
  let size = COPY_HEADER.length
  for (const { bytes } of parts) {
    pending.push(bytes)
    size += bytes.length
    if (size < MESSAGE_BYTES) continue
    yield* copyData(pending)
    pending = []
    size = 0
  }
  yield* copyData([...pending, COPY_TRAILER])
  yield COPY_DONE
}

function* copyData(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  const head = Buffer.from([0x64, 0, 0, 0, 0])
  head.writeInt32BE(4 + pieces.reduce((sum, piece) => sum + piece.length, 0), 1)
  yield head
  yield* pieces
}
