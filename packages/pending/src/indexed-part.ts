import type { Trace } from '@shardwalk/actions'
import { assembleTrace, type Db, type TransactionOutcome } from '@shardwalk/db'
import { MESSAGE_KIND, type RawAddress } from '@shardwalk/model'
import {
  type AccountCache,
  type AddressDirectory,
  loadTransactionParts,
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
export interface IndexedPart {
  readonly row: TraceRow
  /** By lt, then account: senders before receivers. */
  readonly rows: readonly TransactionRow[]
  readonly parts: TransactionParts
  readonly directory: AddressDirectory
}

/** Longer traces are not loaded: nothing is emulated after them. */
export const MAX_INDEXED = 256
const ATTEMPTS = 3

/**
 * Loads what is indexed of a trace. Undefined: it is not there, or changes too quickly. Rows and trace are
 * read by two statements, so they are compared.
 */
export async function loadIndexedPart(
  db: Db,
  accounts: AccountCache,
  traceId: Buffer,
): Promise<IndexedPart | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const [row] = await tracesByIds(db, [traceId])
    if (!row) return undefined
    const rows = row.nodes > MAX_INDEXED ? [] : await transactionsOfTraces(db, [row])
    if (rows.length !== row.nodes && row.nodes <= MAX_INDEXED) continue
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
export function unreceived({ rows, parts }: IndexedPart): SentMessageRow[] {
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
export const accountsOf = ({ rows, directory }: IndexedPart): RawAddress[] =>
  rows.map((row) => directory.get(row.account_id).address)

/** The indexed part in the form that the classifier reads. */
export const toTrace = ({ row, rows, parts, directory }: IndexedPart): Trace =>
  assembleTrace({
    row,
    transactions: rows,
    outcomeOf,
    inMessage: (transaction) => whole(parts.inMsg(transaction)),
    outMessages: (transaction) => parts.outMsgs(transaction).map(whole),
    addressOf: (id) => directory.get(id).raw,
  })

/** Code is stored once, apart from the state-init. */
const whole = <M extends StoredMessage | undefined>(message: M) => message && withCode(message, message.code)

function outcomeOf({ description }: TransactionRow): TransactionOutcome {
  const { kind, aborted, computePhase: compute } = unpackDescription(description)
  return {
    kind,
    aborted: aborted === true,
    exitCode: compute && !compute.skipped ? compute.exitCode : null,
    skipReason: compute?.skipped ? compute.reason : null,
  }
}
