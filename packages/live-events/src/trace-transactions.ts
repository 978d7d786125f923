import { COMPLETE_TRACE } from '@shardwalk/db'
import { LruCache } from '@shardwalk/model'
import { type TraceRow, type TransactionRow, transactionsOfTraces } from '@shardwalk/queries'
import { type RenderContext, renderTransactions } from '@shardwalk/replies'
import type { TransactionPart } from '@shardwalk/streaming'

/** Transactions of a trace in one event; of longer traces the latest are sent. */
const MAX_TRANSACTIONS = 1000
/** Larger traces are not read as a whole. */
export const MAX_NODES = 4000
/** What all traces that are kept may take; a row without its text takes about as much as this. */
const MAX_BYTES = 64 * 1024 * 1024
const ROW_BYTES = 2048

interface Reading {
  readonly nodes: number
  readonly rows: readonly { readonly row: TransactionRow; readonly account: string }[]
  /** Those that somebody wanted, by their rows. */
  readonly parts: Map<string, TransactionPart>
}

export interface TraceReading {
  readonly context: RenderContext
  /** lt of the first transaction of the block. */
  readonly fromLt: bigint
  /** Masterchain block; undefined: not one alone. */
  readonly block?: number | undefined
  /** Whether an account (raw) has a subscriber. */
  readonly isWatched: (account: string) => boolean
}

/** Whether later blocks add to a trace. */
export const mayGrow = ({ state, mc_seqno_end: end }: TraceRow, block: number | undefined): boolean =>
  block !== undefined && (state !== COMPLETE_TRACE || end > block)

/** Transactions of traces. Of one that grows block by block, each is rendered once, and read as it comes. */
export class TraceTransactions {
  private readonly kept = new LruCache<string, Reading>({ bytes: MAX_BYTES })

  /** The latest of watched accounts, lt ascending. */
  async ofWatched(trace: TraceRow, reading: TraceReading): Promise<readonly TransactionPart[]> {
    const key = trace.trace_id.toString('latin1')
    const { nodes, rows, parts } = await read(trace, reading, this.kept.get(key))
    const own = rows.filter(({ account }) => reading.isWatched(account)).slice(-MAX_TRANSACTIONS)
    const missing = own.flatMap(({ row }) => (parts.has(keyOf(row)) ? [] : [row]))
    for (const { row, part } of await renderTransactions(reading.context, missing)) {
      // V8 joins the pieces of a text when one of its characters is read, otherwise again for each event.
      part.reply.charCodeAt(0)
      parts.set(keyOf(row), part)
    }
    if (own.length > 0 && nodes <= MAX_NODES && mayGrow(trace, reading.block))
      this.kept.set(key, ...weighed({ nodes, rows, parts }))
    else this.kept.delete(key)
    return own.map(({ row }) => parts.get(keyOf(row))!)
  }
}

async function read(
  trace: TraceRow,
  { context, fromLt }: TraceReading,
  known: Reading | undefined,
): Promise<Reading> {
  const { nodes } = trace
  if (known?.nodes === nodes) return known
  // A contract that calls itself for ever has one endless trace: only what is new in it is read.
  const extent = nodes > MAX_NODES ? { ...trace, start_lt: fromLt } : trace
  const rows = await transactionsOfTraces(context.db, [extent])
  const ids = rows.map((row) => row.account_id)
  const directory = await context.accounts.load(context.db, ids, { states: false })
  const accounts = rows.map((row) => ({ row, account: directory.get(row.account_id).raw }))
  return { nodes, rows: accounts, parts: known?.parts ?? new Map() }
}

const keyOf = ({ account_id, lt }: TransactionRow): string => `${account_id} ${lt}`

function weighed(reading: Reading): [Reading, number] {
  let bytes = reading.rows.length * ROW_BYTES
  for (const { reply } of reading.parts.values()) bytes += reply.length
  return [reading, bytes]
}
