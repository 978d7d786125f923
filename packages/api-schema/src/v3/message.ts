import { crc32c } from '@shardwalk/cells'
import { formatRawAddress, MESSAGE_KIND, SYSTEM_ADDRESS } from '@shardwalk/model'
import type { ProfileRules } from '../profiles.ts'
import type { MessageRow } from './rows.ts'
import { base64, base64OrNull, decimal, decimalOrNull, extraCurrencies, type Json } from './text.ts'

/** Facts that serialisers need and rows lack: addresses, hashes and names. */
export interface ReplyContext {
  readonly rules: ProfileRules
  /** Raw form of an account's address. Every id in the rows must be known. */
  addressOf(id: bigint): string
  /** Hash of the root cell of a bag of cells. */
  cellHash(boc: Buffer): Buffer
  /**
   * Hash of the body cell and its decoded form (an object or `null`), both as JSON text. Null is the empty
   * cell.
   */
  bodyFacts(body: Buffer | null): BodyFacts
  /** Name of the opcode as JSON text: a quoted string or `null`. */
  opcodeName(opcode: number): Json
}

/** A message body as JSON text: the hash of its cell, and its named fields or `null`. */
export interface BodyFacts {
  readonly hash: Json
  readonly decoded: Json
}

/** A message and, in lists of messages, the transactions at its two ends. */
export interface MessageView {
  readonly row: MessageRow
  /** Logical time of creation; undefined for external-in messages. */
  readonly createdLt: bigint | undefined
  readonly inMsgTxHash?: Buffer
  readonly outMsgTxHash?: Buffer
}

const EXTERNAL_IN = MESSAGE_KIND.indexOf('external_in')
const INTERNAL = MESSAGE_KIND.indexOf('internal')
const FLAG = { ihrDisabled: 1, bounce: 2, bounced: 4, system: 8 } as const
const SYSTEM = formatRawAddress(SYSTEM_ADDRESS)

// The empty cell as a bag of cells: no bits, no references.
const EMPTY_BOC = 'te6cckEBAQEAAgAAAEysuc0='

/** The message has extra flags instead of a fee since global version 12, or it is not known which. */
const ihrFee = ({ ihr_fee: fee, extra_flags: flags }: MessageRow): Json =>
  flags === null ? decimalOrNull(fee) : decimal(0n)

/** `Message` of API v3. */
export function toMessageReply(
  { row: m, createdLt, inMsgTxHash, outMsgTxHash }: MessageView,
  context: ReplyContext,
): Json {
  return (
    `{"hash":${base64(m.hash)},"source":${source(m, context)},"destination":${destination(m, context)}` +
    (m.kind === INTERNAL
      ? `,"value":${decimalOrNull(m.value)},"value_extra_currencies":${extraCurrencies(m.value_extra)}` +
        `,"fwd_fee":${decimalOrNull(m.fwd_fee)},"ihr_fee":${ihrFee(m)}` +
        `,"extra_flags":${decimalOrNull(m.extra_flags)}`
      : ',"value":null,"value_extra_currencies":null,"fwd_fee":null,"ihr_fee":null,"extra_flags":null') +
    `,"created_lt":${decimalOrNull(createdLt)},"created_at":${decimalOrNull(m.created_at)}` +
    `,"opcode":${opcodeText(m.opcode, context.rules)}` +
    `,"decoded_opcode":${m.opcode === null ? 'null' : context.opcodeName(m.opcode)}` +
    (m.kind === INTERNAL
      ? `,"ihr_disabled":${(m.flags & FLAG.ihrDisabled) !== 0},"bounce":${(m.flags & FLAG.bounce) !== 0}` +
        `,"bounced":${(m.flags & FLAG.bounced) !== 0}`
      : ',"ihr_disabled":null,"bounce":null,"bounced":null') +
    `,"import_fee":${m.kind === EXTERNAL_IN ? decimalOrNull(m.import_fee) : 'null'}` +
    (inMsgTxHash ? `,"in_msg_tx_hash":${base64(inMsgTxHash)}` : '') +
    (outMsgTxHash ? `,"out_msg_tx_hash":${base64(outMsgTxHash)}` : '') +
    `,"message_content":${content(m, context)},"init_state":${initState(m, context)}` +
    (m.hash_norm ? `,"hash_norm":${base64OrNull(m.hash_norm)}}` : '}')
  )
}

function source(m: MessageRow, context: ReplyContext): Json {
  if (m.kind === EXTERNAL_IN) return 'null'
  return `"${(m.flags & FLAG.system) !== 0 ? SYSTEM : context.addressOf(m.account_id)}"`
}

const destination = (m: MessageRow, context: ReplyContext): Json =>
  m.destination_id === null ? 'null' : `"${context.addressOf(m.destination_id)}"`

/** Prints an opcode, given as signed, in the form of the profile (difference D1). */
function opcodeText(opcode: number | null, rules: ProfileRules): Json {
  if (opcode === null) return 'null'
  return rules.opcode === 'integer'
    ? String(opcode >>> 0)
    : `"0x${(opcode >>> 0).toString(16).padStart(8, '0')}"`
}

function content(m: MessageRow, context: ReplyContext): Json {
  const { hash, decoded } = context.bodyFacts(m.body)
  return `{"hash":${hash},"body":"${m.body === null ? EMPTY_BOC : bocText(m.body)}","decoded":${decoded}}`
}

function initState(m: MessageRow, context: ReplyContext): Json {
  if (!m.init_state) return 'null'
  return `{"hash":${base64(context.cellHash(m.init_state))},"body":"${bocText(m.init_state)}","decoded":null}`
}

// Source: boc.tlb `serialized_boc#b5ee9c72 has_idx:(## 1) has_crc32c:(## 1) …`: the second bit of the fifth
// byte.
const HAS_CRC32C = 0x40

/** Base64 of a bag of cells with the CRC that clients expect; the tables store it without. */
export function bocText(boc: Buffer): string {
  if ((boc[4]! & HAS_CRC32C) !== 0) return boc.toString('base64')
  const withCrc = Buffer.allocUnsafe(boc.length + 4)
  boc.copy(withCrc)
  withCrc[4] = boc[4]! | HAS_CRC32C
  withCrc.writeUInt32LE(crc32c(withCrc, 0, boc.length), boc.length)
  return withCrc.toString('base64')
}
