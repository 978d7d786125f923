import type { Address, Trace, TraceMessage, TraceTransaction } from '@shardwalk/actions'
import {
  ACCOUNT_STATUS,
  type AccountId,
  formatRawAddress,
  MESSAGE_KIND,
  SYSTEM_ADDRESS,
} from '@shardwalk/model'
import { MESSAGE_FLAGS } from '@shardwalk/tables'
import type { MessageRow } from './message-rows.ts'
import type { TraceRowRead } from './trace-rows.ts'
import type { TransactionRow } from './transaction-rows.ts'

type AddressOf = (id: AccountId) => Address

type TransactionColumns = Pick<
  TransactionRow,
  'account_id' | 'lt' | 'hash' | 'now' | 'mc_block_seqno' | 'orig_status' | 'end_status'
>

/** How a transaction ended, which is in columns of its own or in its description. */
export type TransactionOutcome = Pick<TraceTransaction, 'kind' | 'aborted' | 'exitCode' | 'skipReason'>

/** Rows of one trace or of a part of it, and how to find what belongs to a transaction. */
interface TraceParts<Transaction extends TransactionColumns> {
  readonly row: Omit<TraceRowRead, 'piece' | 'nodes'>
  /** In order of lt. */
  readonly transactions: readonly Transaction[]
  readonly outcomeOf: (transaction: Transaction) => TransactionOutcome
  readonly inMessage: (transaction: Transaction) => MessageRow | undefined
  readonly outMessages: (transaction: Transaction) => readonly MessageRow[]
  readonly addressOf: AddressOf
}

/** Rows in the form that the classifier reads. */
export const assembleTrace = <T extends TransactionColumns>(parts: TraceParts<T>): Trace => ({
  traceId: base64(parts.row.trace_id),
  externalHash: parts.row.external_hash && base64(parts.row.external_hash),
  externalHashNorm: parts.row.external_hash_norm && base64(parts.row.external_hash_norm),
  mcBlockSeqnoEnd: parts.row.mc_seqno_end,
  startLt: parts.row.start_lt,
  endLt: parts.row.end_lt,
  startUtime: parts.row.start_utime,
  endUtime: parts.row.end_utime,
  transactions: parts.transactions.map((transaction) => toTransaction(transaction, parts)),
})

function toTransaction<T extends TransactionColumns>(row: T, parts: TraceParts<T>): TraceTransaction {
  const { addressOf } = parts
  const incoming = parts.inMessage(row)
  return {
    hash: base64(row.hash),
    account: addressOf(row.account_id),
    lt: row.lt,
    now: row.now,
    mcBlockSeqno: row.mc_block_seqno,
    origStatus: ACCOUNT_STATUS[row.orig_status]!,
    endStatus: ACCOUNT_STATUS[row.end_status]!,
    ...parts.outcomeOf(row),
    inMessage: incoming ? toMessage(incoming, addressOf) : null,
    outMessages: parts.outMessages(row).map((message) => toMessage(message, addressOf)),
  }
}

const EXTERNAL_IN = MESSAGE_KIND.indexOf('external_in')

function toMessage(row: MessageRow, addressOf: AddressOf): TraceMessage {
  const external = row.kind === EXTERNAL_IN
  return {
    hash: base64(row.hash),
    source: external ? null : isSystem(row) ? formatRawAddress(SYSTEM_ADDRESS) : addressOf(row.account_id),
    destination: row.destination_id === null ? null : addressOf(row.destination_id),
    value: row.value,
    extraCurrencies: row.value_extra,
    createdLt: external ? null : row.lt,
    createdAt: row.created_at,
    opcode: row.opcode === null ? null : row.opcode >>> 0,
    bounce: external ? null : (row.flags & MESSAGE_FLAGS.bounce) !== 0,
    body: row.body,
    initState: row.init_state,
  }
}

const isSystem = (row: MessageRow): boolean => (row.flags & MESSAGE_FLAGS.system) !== 0

const base64 = (bytes: Buffer): string => bytes.toString('base64')
