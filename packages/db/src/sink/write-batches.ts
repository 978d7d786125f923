import type pg from 'pg'
import { enqueueRefresh } from '../contracts/enqueue.ts'
import { keepStateParts } from '../contracts/state-parts.ts'
import {
  ACCOUNT_DATA_COLUMNS,
  BLOCK_COLUMNS,
  CODE_COLUMNS,
  LATEST_STATE_COLUMNS,
  MESSAGE_COLUMNS,
  SHARD_STATE_COLUMNS,
  STATE_PART_COLUMNS,
  TRANSACTION_COLUMNS,
} from '../rows/columns.ts'
import type { EncodedBatch, EncodedRows } from '../rows/encode-batch.ts'
import { newestOfAccounts } from '../rows/pick-rows.ts'
import { resolveTraces, writeTraces } from '../traces/write-traces.ts'
import { copyInto } from './copy.ts'
import { lock } from './locks.ts'
import { stageOf } from './transaction.ts'

/**
 * All rows of the batches but accounts and progress, inside the caller's transaction. `somethingLater`: a masterchain block after the
 * first of these is indexed already, so receivers may have written messages that these batches send. `codes`: those of the batches that may
 * not be in the table.
 */
export async function writeBatches(
  client: pg.ClientBase,
  batches: readonly EncodedBatch[],
  options: { readonly somethingLater: boolean; readonly codes: EncodedRows },
): Promise<void> {
  const rows = (list: RowList) => batches.map((batch) => batch[list])
  await copyInto(client, 'blocks', BLOCK_COLUMNS, rows('blocks'))
  await copyInto(client, 'shard_state', SHARD_STATE_COLUMNS, rows('shardState'))
  await upsertLatestStates(client, rows('latestStates'))
  await upsertAccountData(client, rows('accountData'))
  await insertCodes(client, options.codes)
  await writeStateParts(client, rows('stateParts'))
  await enqueueRefresh(
    client,
    batches.map((batch) => batch.mcSeqno),
  )
  await copyInto(client, 'messages', MESSAGE_COLUMNS, rows('messages'))
  // From here to the commit other writers wait: two batches that hold the two ends of a message would not see each other.
  await lock(client, 'traces')
  const { traces, senderless } = await resolveTraces(client, batches, options)
  await copyInto(client, 'messages', MESSAGE_COLUMNS, [
    ...rows('messagesSent'),
    ...batches.map(({ messagesReceived }, index) => only(messagesReceived, senderless[index]!)),
  ])
  await copyInto(client, 'transactions', TRANSACTION_COLUMNS, rows('transactions'))
  await writeTraces(client, traces, batches)
}

type RowList = {
  [K in keyof EncodedBatch]-?: EncodedBatch[K] extends EncodedRows ? K : never
}[keyof EncodedBatch]

type Rows = readonly EncodedRows[]

/** The messages that no indexed transaction sent; the senders of the others have written them. */
function only({ bytes, starts }: EncodedBatch['messagesReceived'], wanted: readonly boolean[]): EncodedRows {
  const picked = [...starts.keys()].filter((index) => wanted[index])
  return {
    rows: picked.length,
    bytes: new Uint8Array(Buffer.concat(picked.map((index) => bytes.subarray(starts[index], starts[index + 1])))),
  }
}

/** Newest wins: the result does not depend on the order in which blocks are written. Equal lt changes nothing. */
async function upsertLatestStates(client: pg.ClientBase, parts: Rows): Promise<void> {
  const stage = stageOf('latest_account_states')
  if ((await copyInto(client, stage, LATEST_STATE_COLUMNS, parts)) === 0) return
  await client.query(upsertNewest('latest_account_states', stage, LATEST_STATE_COLUMNS))
}

async function upsertAccountData(client: pg.ClientBase, parts: Rows): Promise<void> {
  const stage = stageOf('account_data')
  if ((await copyInto(client, stage, ACCOUNT_DATA_COLUMNS, [newestOfAccounts(parts)])) === 0) return
  await client.query(upsertNewest('account_data', stage, ACCOUNT_DATA_COLUMNS))
}

async function writeStateParts(client: pg.ClientBase, parts: Rows): Promise<void> {
  if ((await copyInto(client, stageOf('state_parts'), STATE_PART_COLUMNS, parts)) > 0) await keepStateParts(client)
}

function upsertNewest(table: string, stage: string, columns: readonly string[]): string {
  const list = columns.join(', ')
  const updates = columns.filter((column) => column !== 'account_id').map((column) => `${column} = excluded.${column}`)
  return `insert into ${table} as t (${list})
    select distinct on (account_id) ${list} from ${stage} order by account_id, lt desc
    on conflict (account_id) do update set ${updates.join(', ')} where t.lt < excluded.lt`
}

/** A hash has one preimage: nothing to update. */
async function insertCodes(client: pg.ClientBase, codes: EncodedRows): Promise<void> {
  const stage = stageOf('codes')
  if ((await copyInto(client, stage, CODE_COLUMNS, [codes])) === 0) return
  await client.query(
    `insert into codes (code_hash, boc) select code_hash, boc from ${stage} order by code_hash on conflict (code_hash) do nothing`,
  )
}
