import type { Lt } from '@shardwalk/model'
import { TABLES, type TableDefinition } from '@shardwalk/tables'
import type { NamedPiece } from '@shardwalk/traces'
import type pg from 'pg'
import { enqueueRefresh } from '../contracts/enqueue.ts'
import { KEEP_HIDDEN_CURRENCIES } from '../contracts/hidden-currencies.ts'
import { DROP_SUPERSEDED_BY_BATCH, KEEP_STATE_PARTS } from '../contracts/state-parts.ts'
import type { EncodedBatch } from '../rows/encode-batch.ts'
import type { EncodedRows } from '../rows/encoded-rows.ts'
import { newestOfAccounts } from '../rows/pick-rows.ts'
import { type ResolveOptions, resolveTraces, writeTraces } from '../traces/write-traces.ts'
import { type Copy, copyOf, countRows, runScript } from '../writing/copy.ts'
import { STAGE, type StagedTable, stageColumns, stageOf } from '../writing/transaction.ts'

/** What is known of the batches before they are written. */
export interface WriteOptions extends ResolveOptions {
  /** Codes of the batches that may not be in the table. */
  readonly codes: EncodedRows
}

/** What follows from rows that were in the tables already. */
export interface WrittenBatches {
  /** Those that other batches have parts of. */
  readonly traces: readonly NamedPiece[]
  /** Of the rows of messages that no indexed transaction sent. */
  readonly orphanLts: readonly Lt[]
}

/**
 * Writes all rows of the batches except accounts and progress, in the caller's transaction. What needs no
 * lock comes first: batches with an open message in common wait for each other from its look-up on.
 * Current states come last: all batches have the accounts of busy contracts in common, and each holds their
 * rows until it ends.
 */
export async function writeBatches(
  client: pg.ClientBase,
  batches: readonly EncodedBatch[],
  options: WriteOptions,
): Promise<WrittenBatches> {
  const rows = (list: RowList) => batches.map((batch) => batch[list])
  const states = [
    // First, because it stores what the next statement overwrites.
    staged(TABLES.hidden_currencies, rows('hiddenCurrencies'), () => KEEP_HIDDEN_CURRENCIES),
    staged(TABLES.latest_account_states, rows('latestStates'), upsertStates),
    staged(TABLES.account_data, [newestOfAccounts(rows('accountData'))], upsertNewest),
    staged(TABLES.codes, [options.codes], insertCodes),
    staged(TABLES.state_parts, rows('stateParts'), () => KEEP_STATE_PARTS),
  ].filter(({ copy }) => countRows(copy) > 0)
  await runScript(client, [
    copyOf(TABLES.blocks, rows('blocks')),
    copyOf(TABLES.transactions, rows('transactions')),
    copyOf(TABLES.messages, rows('messages')),
    ...states.map(({ copy }) => copy),
  ])
  const { senderless, orphanLts, ...joined } = await resolveTraces(client, batches, options)
  const orphans = batches.map(({ messagesReceived }, index) => only(messagesReceived, senderless[index]!))
  await runScript(client, [copyOf(TABLES.messages, [...rows('messagesSent'), ...orphans])])
  await writeTraces(client, joined, batches)
  await runScript(client, [...states.map(({ insert }) => insert), DROP_SUPERSEDED_BY_BATCH])
  await enqueueRefresh(
    client,
    batches.map((batch) => batch.mcBlockSeqno),
  )
  return { traces: joined.traces, orphanLts }
}

type RowList = {
  [K in keyof EncodedBatch]-?: EncodedBatch[K] extends EncodedRows ? K : never
}[keyof EncodedBatch]

type Rows = readonly EncodedRows[]

/** The messages that no indexed transaction sent; all others were written by their senders. */
function only({ bytes, starts }: EncodedBatch['messagesReceived'], wanted: readonly boolean[]): EncodedRows {
  const picked = [...starts.keys()].filter((index) => wanted[index])
  return {
    rows: picked.length,
    bytes: new Uint8Array(
      Buffer.concat(picked.map((index) => bytes.subarray(starts[index], starts[index + 1]))),
    ),
  }
}

/** Copies rows into the staging table, for the statement `insert`. */
const staged = <Name extends StagedTable>(
  { name, copied }: TableDefinition<Name>,
  parts: Rows,
  insert: (table: Name, columns: readonly string[]) => string,
): { readonly copy: Copy; readonly insert: string } => ({
  copy: { table: STAGE, columns: stageColumns(name), parts },
  insert: insert(name, copied),
})

/**
 * The newest state wins, so that the result does not depend on the order of blocks. Rows with equal lt stay
 * unchanged.
 */
function upsertNewest(table: StagedTable, columns: readonly string[]): string {
  const list = columns.join(', ')
  const updates = columns
    .filter((column) => column !== 'account_id')
    .map((column) => `${column} = excluded.${column}`)
  return `insert into ${table} as t (${list})
    select distinct on (account_id) ${list} from ${stageOf(table)} order by account_id, lt desc
    on conflict (account_id) do update set ${updates.join(', ')} where t.lt < excluded.lt`
}

/** A state that the network was asked for lacks what the block of its last transaction says. */
const upsertStates = (table: StagedTable, columns: readonly string[]): string =>
  `${upsertNewest(table, columns)} or (t.lt = excluded.lt and t.mc_seqno = 0)`

/** The hash identifies the code, so there is nothing to update. */
const insertCodes = (table: StagedTable, columns: readonly string[]): string =>
  `insert into ${table} (${columns.join(', ')}) select ${columns.join(', ')} from ${stageOf(table)}
   order by code_hash on conflict (code_hash) do nothing`
