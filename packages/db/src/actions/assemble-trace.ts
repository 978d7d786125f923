import type { Address, Trace, TraceMessage, TraceTransaction } from '@shardwalk/actions'
import {
  ACCOUNT_STATUS,
  type AccountId,
  formatRawAddress,
  MESSAGE_KIND,
  SYSTEM_ADDRESS,
  TRANSACTION_KIND,
} from '@shardwalk/model'
import { MESSAGE_FLAGS } from '@shardwalk/tables'
import { unpackDescription } from '@shardwalk/tlb'
import type { MessageRow, Messages } from './message-rows.ts'
import type { TraceRowRead } from './trace-rows.ts'
import type { TransactionRow } from './transaction-rows.ts'

type AddressOf = (id: AccountId) => Address

/** Rows of one trace: its transactions in order of lt, and at least the messages that they name. */
interface TraceParts {
  readonly row: TraceRowRead
  readonly transactions: readonly TransactionRow[]
  readonly messages: Messages
  readonly addressOf: AddressOf
}

/** A trace in the form that the classifier reads. */
export const assembleTrace = ({ row, transactions, messages, addressOf }: TraceParts): Trace => ({
  traceId: base64(row.trace_id),
  externalHash: row.external_hash && base64(row.external_hash),
  externalHashNorm: row.external_hash_norm && base64(row.external_hash_norm),
  mcBlockSeqnoEnd: row.mc_seqno_end,
  startLt: row.start_lt,
  endLt: row.end_lt,
  startUtime: row.start_utime,
  endUtime: row.end_utime,
  nodes: row.nodes,
  transactions: transactions.map((transaction) => toTransaction(transaction, messages, addressOf)),
})

function toTransaction(row: TransactionRow, messages: Messages, addressOf: AddressOf): TraceTransaction {
  const compute = row.description && unpackDescription(row.description).computePhase
  const incoming =
    row.in_msg_lt === null ? undefined : messages.find(row.in_msg_account_id ?? row.account_id, row.in_msg_lt)
  const outgoing = Array.from({ length: row.out_msg_count }, (_, index) =>
    messages.find(row.account_id, row.lt + 1n + BigInt(index)),
  )
  return {
    hash: base64(row.hash),
    account: addressOf(row.account_id),
    lt: row.lt,
    now: row.now,
    mcBlockSeqno: row.mc_block_seqno,
    origStatus: ACCOUNT_STATUS[row.orig_status]!,
    endStatus: ACCOUNT_STATUS[row.end_status]!,
    kind: TRANSACTION_KIND[row.kind]!,
    aborted: row.aborted === true,
    exitCode: row.exit_code,
    skipReason: compute?.skipped ? compute.reason : null,
    inMessage: incoming ? toMessage(incoming, addressOf) : null,
    outMessages: outgoing
      .filter((message) => message !== undefined)
      .map((message) => toMessage(message, addressOf)),
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
