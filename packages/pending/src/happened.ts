import type { Trace, TraceMessage, TraceTransaction } from '@shardwalk/actions'
import { type Db, MESSAGE_FLAGS } from '@shardwalk/db'
import {
  ACCOUNT_STATUS,
  formatRawAddress,
  MESSAGE_KIND,
  type RawAddress,
  SYSTEM_ADDRESS,
} from '@shardwalk/model'
import {
  type AccountCache,
  type AddressDirectory,
  loadTransactionParts,
  type MessageRow,
  messageKey,
  type StoredMessage,
  type TraceRow,
  type TransactionParts,
  type TransactionRow,
  tracesByIds,
  transactionsOfTraces,
  withCode,
} from '@shardwalk/queries'
import { unpackDescription } from '@shardwalk/tlb'

/** The part of a trace that is indexed. */
export interface Happened {
  readonly row: TraceRow
  /** By lt, then account: senders before receivers. */
  readonly rows: readonly TransactionRow[]
  readonly parts: TransactionParts
  readonly directory: AddressDirectory
}

/** Longer traces are not loaded: nothing is emulated after them. */
export const MAX_HAPPENED = 256
const ATTEMPTS = 3

/**
 * Loads what is indexed of a trace. Undefined: it is not there, or changes too quickly. Rows and trace are
 * read by two statements, so they are compared.
 */
export async function loadHappened(
  db: Db,
  accounts: AccountCache,
  traceId: Buffer,
): Promise<Happened | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [row] = await tracesByIds(db, [traceId])
    if (!row) return undefined
    const rows = row.nodes > MAX_HAPPENED ? [] : await transactionsOfTraces(db, [row])
    if (rows.length !== row.nodes && row.nodes <= MAX_HAPPENED) continue
    const parts = await loadTransactionParts(db, rows)
    return { row, rows, parts, directory: accounts.directory(parts.accounts) }
  }
  return undefined
}

/** An internal message that no indexed transaction received, and the transaction that sent it. */
export interface SentMessageRow {
  readonly message: StoredMessage
  readonly sender: TransactionRow
}

const INTERNAL = MESSAGE_KIND.indexOf('internal')

/** Internal messages of the indexed part that no indexed transaction received, senders in order of lt. */
export function unreceived({ rows, parts }: Happened): SentMessageRow[] {
  const received = new Set(
    rows.flatMap(({ in_msg_account_id: id, in_msg_lt: lt }) =>
      id === null || lt === null ? [] : [messageKey(id, lt)],
    ),
  )
  return rows.flatMap((sender) =>
    parts
      .outMsgs(sender)
      .filter(({ kind, account_id, lt }) => kind === INTERNAL && !received.has(messageKey(account_id, lt)))
      .map((message) => ({ message, sender })),
  )
}

/** Accounts with transactions in the indexed part. */
export const accountsOf = ({ rows, directory }: Happened): RawAddress[] =>
  rows.map((row) => directory.get(row.account_id).address)

/** The indexed part in the form that the classifier takes. */
export function toTrace(happened: Happened): Trace {
  const { row, rows } = happened
  return {
    traceId: base64(row.trace_id),
    externalHash: row.external_hash && base64(row.external_hash),
    externalHashNorm: row.external_hash_norm && base64(row.external_hash_norm),
    mcBlockSeqnoEnd: row.mc_seqno_end,
    startLt: row.start_lt,
    endLt: row.end_lt,
    startUtime: row.start_utime,
    endUtime: row.end_utime,
    transactions: rows.map((one) => toTransaction(one, happened)),
  }
}

const base64 = (hash: Buffer): string => hash.toString('base64')

function toTransaction(row: TransactionRow, { parts, directory }: Happened): TraceTransaction {
  const { kind, aborted, computePhase: compute } = unpackDescription(row.description)
  const incoming = parts.inMsg(row)
  return {
    hash: base64(row.hash),
    account: directory.get(row.account_id).raw,
    lt: row.lt,
    now: row.now,
    mcBlockSeqno: row.mc_block_seqno,
    origStatus: ACCOUNT_STATUS[row.orig_status]!,
    endStatus: ACCOUNT_STATUS[row.end_status]!,
    kind,
    aborted: aborted === true,
    exitCode: compute && !compute.skipped ? compute.exitCode : null,
    skipReason: compute?.skipped ? compute.reason : null,
    inMessage: incoming ? toMessage(incoming, directory) : null,
    outMessages: parts.outMsgs(row).map((message) => toMessage(message, directory)),
  }
}

const EXTERNAL_IN = MESSAGE_KIND.indexOf('external_in')

function toMessage(row: StoredMessage, directory: AddressDirectory): TraceMessage {
  const isExternal = row.kind === EXTERNAL_IN
  return {
    hash: base64(row.hash),
    source: isExternal ? null : sourceOf(row, directory),
    destination: row.destination_id === null ? null : directory.get(row.destination_id).raw,
    value: row.value,
    extraCurrencies: row.value_extra,
    createdLt: isExternal ? null : row.lt,
    createdAt: row.created_at,
    opcode: row.opcode === null ? null : row.opcode >>> 0,
    bounce: isExternal ? null : (row.flags & MESSAGE_FLAGS.bounce) !== 0,
    body: row.body,
    initState: withCode(row, row.code).init_state,
  }
}

const sourceOf = (row: MessageRow, directory: AddressDirectory): string =>
  (row.flags & MESSAGE_FLAGS.system) !== 0
    ? formatRawAddress(SYSTEM_ADDRESS)
    : directory.get(row.account_id).raw
