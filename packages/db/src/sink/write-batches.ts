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
import type { EncodedBatch } from '../rows/encode-batch.ts'
import { resolveTraces, writeTraces } from '../traces/write-traces.ts'
import { copyInto } from './copy.ts'
import { stageOf } from './transaction.ts'

/**
 * All rows of the batches but accounts and progress, inside the caller's transaction. `somethingLater`: a masterchain block after the
 * first of these is indexed already, so receivers may have written messages that these batches send.
 */
export async function writeBatches(
  client: pg.ClientBase,
  batches: readonly EncodedBatch[],
  { somethingLater }: { readonly somethingLater: boolean },
): Promise<void> {
  const parts = (list: (batch: EncodedBatch) => EncodedBatch['blocks']) => batches.map(list)
  await copyInto(
    client,
    'blocks',
    BLOCK_COLUMNS,
    parts((batch) => batch.blocks),
  )
  await copyInto(
    client,
    'shard_state',
    SHARD_STATE_COLUMNS,
    parts((batch) => batch.shardState),
  )
  const sent = parts((batch) => batch.messagesSent)
  const direct = parts((batch) => batch.messages)
  await copyInto(client, 'messages', MESSAGE_COLUMNS, somethingLater ? direct : [...direct, ...sent])
  if (somethingLater) await writeSentMessages(client, sent)
  await writeReceivedMessages(
    client,
    parts((batch) => batch.messagesReceived),
  )
  await upsertLatestStates(
    client,
    parts((batch) => batch.latestStates),
  )
  await upsertAccountData(
    client,
    parts((batch) => batch.accountData),
  )
  await insertCodes(
    client,
    parts((batch) => batch.codes),
  )
  await writeStateParts(
    client,
    parts((batch) => batch.stateParts),
  )
  await enqueueRefresh(
    client,
    batches.map((batch) => batch.mcSeqno),
  )
  // Last, because from here on other writers wait.
  const traces = await resolveTraces(client, batches)
  await copyInto(
    client,
    'transactions',
    TRANSACTION_COLUMNS,
    parts((batch) => batch.transactions),
  )
  await writeTraces(client, traces, batches)
}

type Rows = readonly EncodedBatch['blocks'][]

const MESSAGE_LIST = MESSAGE_COLUMNS.join(', ')
const MESSAGE_STAGE = stageOf('messages')

/**
 * The row may be there, written by the receiver. It says the same but in one case: the receiver read the slot after the value as the global
 * version at its block tells, and the version may have changed in between. What the sender says stands.
 */
async function writeSentMessages(client: pg.ClientBase, parts: Rows): Promise<void> {
  if ((await copyInto(client, MESSAGE_STAGE, MESSAGE_COLUMNS, parts)) === 0) return
  await client.query(
    `update messages m set ihr_fee = s.ihr_fee, extra_flags = s.extra_flags from ${MESSAGE_STAGE} s
     where m.account_id = s.account_id and m.lt = s.lt
       and (m.ihr_fee is distinct from s.ihr_fee or m.extra_flags is distinct from s.extra_flags)`,
  )
  await insertMissingMessages(client)
  await client.query(`truncate ${MESSAGE_STAGE}`)
}

async function writeReceivedMessages(client: pg.ClientBase, parts: Rows): Promise<void> {
  if ((await copyInto(client, MESSAGE_STAGE, MESSAGE_COLUMNS, parts)) > 0) await insertMissingMessages(client)
}

/** Sorted: concurrent writers that meet the same messages wait for each other in one direction. */
async function insertMissingMessages(client: pg.ClientBase): Promise<void> {
  await client.query(
    `insert into messages (${MESSAGE_LIST})
     select ${MESSAGE_LIST} from ${MESSAGE_STAGE} s
     where not exists (select from messages m where m.account_id = s.account_id and m.lt = s.lt)
     order by account_id, lt`,
  )
}

/** Newest wins: the result does not depend on the order in which blocks are written. Equal lt changes nothing. */
async function upsertLatestStates(client: pg.ClientBase, parts: Rows): Promise<void> {
  const stage = stageOf('latest_account_states')
  if ((await copyInto(client, stage, LATEST_STATE_COLUMNS, parts)) === 0) return
  await client.query(upsertNewest('latest_account_states', stage, LATEST_STATE_COLUMNS))
}

async function upsertAccountData(client: pg.ClientBase, parts: Rows): Promise<void> {
  const stage = stageOf('account_data')
  if ((await copyInto(client, stage, ACCOUNT_DATA_COLUMNS, parts)) === 0) return
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
async function insertCodes(client: pg.ClientBase, parts: Rows): Promise<void> {
  const stage = stageOf('codes')
  if ((await copyInto(client, stage, CODE_COLUMNS, parts)) === 0) return
  await client.query(
    `insert into codes (code_hash, boc) select distinct on (code_hash) code_hash, boc from ${stage}
     order by code_hash on conflict (code_hash) do nothing`,
  )
}
