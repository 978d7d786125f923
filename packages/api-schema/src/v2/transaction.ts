import { type Cell, parseRoot } from '@shardwalk/cells'
import { isCommentOpcode, MESSAGE, readCommentBytes } from '@shardwalk/contracts'
import {
  type DecodedMessage,
  type DecodedTransaction,
  formatRawAddress,
  type RawAddress,
} from '@shardwalk/model'
import { accountAddress, extraCurrencies, friendly, transactionId, withCrc } from './objects.ts'

/** A transaction with the cell from which it was decoded. */
export interface TransactionSource {
  readonly transaction: DecodedTransaction
  /** Bag of cells of the transaction. */
  readonly boc: Buffer
}

/** The three shapes of transactions, by `@type`. */
export type TransactionShape = 'raw.transaction' | 'raw.transactionExt' | 'ext.transaction'

/** A transaction in one of the shapes. Amounts are decimal strings of nanotons, `data` is base64. */
export function toV2Transaction({ transaction, boc }: TransactionSource, shape: TransactionShape) {
  const { account, inMsg, outMsgs } = transaction
  const fees = feesOf(transaction)
  const message = shape === 'ext.transaction' ? extMessage : rawMessage
  return {
    '@type': shape,
    address: accountAddress(friendly(account)),
    ...(shape === 'raw.transaction' ? {} : { account: formatRawAddress(account) }),
    utime: transaction.now,
    data: withCrc(boc),
    transaction_id: transactionId(transaction.lt, transaction.hash),
    fee: String(fees.total),
    storage_fee: String(fees.storage),
    other_fee: String(fees.total - fees.storage),
    ...(inMsg ? { in_msg: message(inMsg) } : {}),
    out_msgs: outMsgs.map(message),
  }
}

/** Forwarding fees of internal messages are part of `fee`, as in tonlib. */
function feesOf({ totalFees, outMsgs, description }: DecodedTransaction) {
  const forwarding = outMsgs.map((message) => (message.kind === 'internal' ? (message.fwdFee ?? 0n) : 0n))
  return {
    total: forwarding.reduce((sum, fee) => sum + fee, totalFees),
    storage: description.storagePhase?.storageFeesCollected ?? 0n,
  }
}

type Side = (address: RawAddress | undefined) => unknown

const messageFields = (message: DecodedMessage, side: Side) => ({
  hash: message.hash.toString('base64'),
  source: side(message.source),
  destination: side(message.destination),
  value: String(message.value ?? 0n),
  extra_currencies: extraCurrencies(message.valueExtraCurrencies),
  fwd_fee: String(message.fwdFee ?? 0n),
  // Since global version 12 the header field is not a fee; tonlib always reports zero.
  ihr_fee: '0',
  created_lt: String(message.createdLt ?? 0n),
  body_hash: message.bodyHash.toString('base64'),
})

const rawMessage = (message: DecodedMessage) => ({
  '@type': 'raw.message',
  ...messageFields(message, (address) => accountAddress(friendly(address))),
  msg_data: readBody(message).data,
})

function extMessage(message: DecodedMessage) {
  const { data, text } = readBody(message)
  return {
    '@type': 'ext.message',
    ...messageFields(message, friendly),
    msg_data: data,
    ...(text === undefined ? {} : { message: text }),
  }
}

/** `msg_data` and `message`, in the forms of tonlib. */
function readBody(message: DecodedMessage): { readonly data: object; readonly text?: string } {
  const root = parseRoot(message.body)
  const comment = isCommentOpcode(message.opcode) ? commentBytes(root) : undefined
  if (comment && message.opcode === MESSAGE.textComment)
    return {
      data: { '@type': 'msg.dataText', text: comment.toString('base64') },
      text: comment.toString('utf8'),
    }
  if (comment) return { data: { '@type': 'msg.dataEncryptedText', text: comment.toString('base64') } }
  const data = {
    '@type': 'msg.dataRaw',
    body: withCrc(message.body),
    init_state: message.initState ? withCrc(message.initState) : '',
  }
  return { data, text: rootBytes(root) }
}

/** Bytes after the opcode. A cell need not contain whole bytes as long as all cells together do. */
const commentBytes = (root: Cell): Buffer | undefined =>
  readCommentBytes(root.slice().skip(32), { oddBits: 'join' })

/** Base64 of the root cell's data plus a newline, as old clients expect for bodies that are not text. */
function rootBytes(root: Cell): string {
  const whole = Buffer.from(root.data)
  const odd = root.bits % 8
  if (odd !== 0) whole[whole.length - 1] = whole[whole.length - 1]! & (0xff00 >> odd)
  return whole.length === 0 ? '' : `${whole.toString('base64')}\n`
}
