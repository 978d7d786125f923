import type { ActionRow, Address, Classification } from '@shardwalk/actions'
import type { AccountId } from '@shardwalk/model'
import { ACTIONS_PER_ROW, SHORT_ID_BYTES, TABLES, type Tables } from '@shardwalk/tables'
import type pg from 'pg'
import { parseRaw } from '../facts/addresses.ts'
import { arrayOf, int8, TEXT } from '../rows/copy-arrays.ts'
import { CopyBuffer } from '../rows/copy-buffer.ts'
import { copyInto } from '../writing/copy.ts'
import { lockShared } from '../writing/locks.ts'
import type { Numbering } from '../writing/numbering.ts'
import type { LoadedTrace } from './load-traces.ts'
import { type Details, packDetails } from './packed-details.ts'

/**
 * Incremented with every change of the classifier that changes rows; `shardwalk reclassify` replaces older
 * ones.
 */
export const CLASSIFIER_VERSION = 9

/** Replaces the actions of the traces, in the caller's transaction. */
export async function writeActions(
  client: pg.ClientBase,
  numbering: Numbering,
  traces: readonly Pick<LoadedTrace, 'row' | 'accountIds'>[],
  results: readonly Classification[],
): Promise<void> {
  const rows = results.flatMap(({ actions }) => actions)
  const ids = results.flatMap(({ actions }, index) => {
    const { accountIds } = traces[index]!
    const idOf = (address: Address) => accountIds.get(address) ?? numbering.idOf(parseRaw(address))
    return actions.map((row) => row.accounts.map(idOf))
  })
  await numbering.insert()
  await deleteActions(
    client,
    traces.map(({ row }) => row.trace_id),
  )
  const actions = new CopyBuffer(TABLES.actions, rows.length * 1024)
  const accounts = new CopyBuffer(TABLES.action_accounts, rows.length * 512)
  for (const [index, row] of rows.entries()) writeAction(actions, row, ids[index]!)
  writeAccounts(accounts, rows, ids)
  await copyInto(client, TABLES.actions, [actions.finish()])
  await copyInto(client, TABLES.action_accounts, [accounts.finish()])
  await writeFailures(client, results)
}

/**
 * Takes traces out of the queue of the classifier before the caller's transaction deletes them: waits for a
 * classifier that has claimed one, and excludes processes that would queue them again. A trace that is not
 * stored would stay in the queue for ever.
 */
export async function dequeueTraces(client: pg.ClientBase, traceIds: readonly Buffer[]): Promise<void> {
  await lockShared(client, 'reclassify')
  await client.query('delete from unclassified_traces where trace_id = any($1)', [traceIds])
}

/** Removes everything derived from the traces. */
export async function deleteActions(client: pg.ClientBase, traceIds: readonly Buffer[]): Promise<void> {
  await client.query(
    `delete from action_accounts c using (
       select distinct unnest(account_ids_in(a.account_ids)) as account_id, a.trace_end_lt,
         substr(a.trace_id, 1, ${SHORT_ID_BYTES}) as t
       from actions a where a.trace_id = any($1)) k
     where c.account_id = k.account_id and c.trace_end_lt = k.trace_end_lt and c.trace_bytes = k.t`,
    [traceIds],
  )
  for (const table of ['actions', 'classification_failures', 'asked_facts'])
    await client.query(`delete from ${table} where trace_id = any($1)`, [traceIds])
}

async function writeFailures(client: pg.ClientBase, results: readonly Classification[]): Promise<void> {
  for (const { failures } of results)
    for (const { traceId, matcher, messageHash, error, stack } of failures)
      await client.query(
        `insert into classification_failures (trace_id, classifier_version, matcher, message_hash, error,
          stack)
         values ($1, $2, $3, $4, $5, $6) on conflict (trace_id) do nothing`,
        [bytes(traceId), CLASSIFIER_VERSION, matcher, messageHash && bytes(messageHash), error, stack],
      )
}

const bytes = (hash: string): Buffer => Buffer.from(hash, 'base64')

function writeAction(
  rows: CopyBuffer<Tables['actions']>,
  row: ActionRow,
  accountIds: readonly AccountId[],
): void {
  rows.startRow()
  rows.bytea('trace_id', bytes(row.trace_id))
  rows.bytea('action_id', bytes(row.action_id))
  rows.text('type', row.type)
  rows.bool('success', row.success)
  rows.int8('start_lt', row.start_lt)
  rows.int8('end_lt', row.end_lt)
  rows.int4('start_utime', row.start_utime)
  rows.int4('end_utime', row.end_utime)
  rows.int8('trace_end_lt', row.trace_end_lt)
  rows.int4('trace_end_utime', row.trace_end_utime)
  rows.int4('trace_mc_seqno_end', row.trace_mc_seqno_end)
  rows.int2('classifier_version', CLASSIFIER_VERSION)
  rows.bytea('parent_action_id', row.parent_action_id === null ? undefined : bytes(row.parent_action_id))
  const ancestors = row.ancestor_type.map((type) => Buffer.from(type))
  rows.array('ancestor_type', ancestors.length > 0 ? arrayOf(TEXT, ancestors) : undefined)
  rows.bytea('tx_hashes', packHashes(row))
  rows.bytea('account_ids', Buffer.concat(accountIds.map(int8)))
  rows.text('details', packDetails(detailsOf(row), row.accounts))
}

/** `tx_hashes_of` in SQL, and `hashesOf` of packages/queries, read them. */
const packHashes = ({ trace_id, tx_hashes: [first, ...others] }: ActionRow): Buffer =>
  Buffer.concat([first === trace_id ? TRACE_ID : bytes(first ?? ''), ...others.map(bytes)])

/** Stands for the id of the trace. */
const TRACE_ID = Buffer.alloc(1)

/** `ids`: the accounts of each action. Actions of an account are in the order of lists. */
function writeAccounts(
  table: CopyBuffer<Tables['action_accounts']>,
  rows: readonly ActionRow[],
  ids: readonly (readonly AccountId[])[],
): void {
  const listed = new Map<string, { readonly row: ActionRow; readonly id: AccountId; readonly of: Buffer[] }>()
  const sorted = rows.map((row, index) => ({ row, ids: new Set(ids[index]!), bytes: shortId(row.action_id) }))
  sorted.sort((a, b) => Number(a.row.end_lt - b.row.end_lt) || Buffer.compare(a.bytes, b.bytes))
  for (const { row, ids, bytes } of sorted)
    for (const id of ids) {
      const key = `${row.trace_id}${id}`
      const list = listed.get(key) ?? { row, id, of: [] }
      listed.set(key, list)
      list.of.push(bytes)
    }
  for (const { row, id, of } of listed.values())
    for (let first = 0; first < of.length; first += ACTIONS_PER_ROW) {
      table.startRow()
      table.int8('account_id', id)
      table.int8('trace_end_lt', row.trace_end_lt)
      table.int4('trace_end_utime', row.trace_end_utime)
      table.bytea('trace_bytes', shortId(row.trace_id))
      table.bytea('action_bytes', Buffer.concat(of.slice(first, first + ACTIONS_PER_ROW)))
    }
}

const shortId = (hash: string): Buffer => bytes(hash).subarray(0, SHORT_ID_BYTES)

/** The columns specific to the type, which the table does not have, without nulls. */
function detailsOf(row: ActionRow): Details {
  const details: Record<string, unknown> = {}
  for (const name in row) {
    const value = row[name as keyof ActionRow]
    if (value != null && !STORED_APART.has(name)) details[name] = value
  }
  return details
}

const STORED_APART: ReadonlySet<string> = new Set([
  ...TABLES.actions.copied,
  'accounts',
  'mc_seqno_end',
  'trace_external_hash',
  'trace_external_hash_norm',
])
