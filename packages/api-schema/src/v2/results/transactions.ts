import * as z from 'zod'
import {
  AccountAddress,
  BlockId,
  bytes,
  digits,
  ExtraCurrency,
  hash,
  int,
  object,
  TransactionId,
  text,
} from './parts.ts'

// Transactions with their messages.

const MsgData = z
  .union([
    object('MsgDataRaw', 'msg.dataRaw', { body: bytes, init_state: bytes }),
    object('MsgDataText', 'msg.dataText', { text: bytes }),
    object('MsgDataEncryptedText', 'msg.dataEncryptedText', { text: bytes }),
  ])
  .meta({ id: 'MsgData' })
const messageOf = <Side extends z.ZodType>(side: Side) => ({
  hash,
  source: side,
  destination: side,
  value: digits,
  extra_currencies: z.array(ExtraCurrency),
  fwd_fee: digits,
  ihr_fee: digits,
  created_lt: digits,
  body_hash: hash,
  msg_data: MsgData,
})
const MessageStd = object('MessageStd', 'raw.message', messageOf(AccountAddress))
const MessageExt = object('Message', 'ext.message', { ...messageOf(text), message: text.optional() })
const transactionOf = <Message extends z.ZodType>(message: Message) => ({
  utime: int,
  data: bytes,
  transaction_id: TransactionId,
  fee: digits,
  storage_fee: digits,
  other_fee: digits,
  in_msg: message.optional(),
  out_msgs: z.array(message),
})
const TransactionStd = object('TransactionStd', 'raw.transaction', {
  address: AccountAddress,
  ...transactionOf(MessageStd),
})
const TransactionExt = object('TransactionExt', 'raw.transactionExt', {
  address: AccountAddress,
  account: text,
  ...transactionOf(MessageStd),
})
/** As tonlib has it, with TON Center's additions. `utime` in Unix seconds, amounts in nanotons. */
export const Transaction = object('Transaction', 'ext.transaction', {
  address: AccountAddress,
  account: text,
  ...transactionOf(MessageExt),
})
const listing = { id: BlockId, req_count: int, incomplete: z.boolean() }
/** Ids of transactions only. */
export const BlockTransactions = object('BlockTransactions', 'blocks.transactions', {
  ...listing,
  transactions: z.array(
    object('ShortTxId', 'blocks.shortTxId', { mode: int, account: text, lt: digits, hash }),
  ),
})
/** Whole transactions of a block. */
export const BlockTransactionsExt = object('BlockTransactionsExt', 'blocks.transactionsExt', {
  ...listing,
  transactions: z.array(TransactionExt),
})
/** A page, and where the next one begins (`previous_transaction_id`). */
export const TransactionsStd = object('TransactionsStd', 'raw.transactions', {
  transactions: z.array(TransactionStd),
  previous_transaction_id: TransactionId,
})
