import { type AccountId, type DecodedMessage, type ExtraCurrencies, MESSAGE_KIND } from '@shardwalk/model'
import { MESSAGE_FLAGS } from '../tables/messages.ts'
import type { AccountIds } from './account-ids.ts'
import type { CodeRows } from './code-rows.ts'
import type { CopyBuffer } from './copy-buffer.ts'
import { splitInitState } from './init-state.ts'

/** Where a message stands in the table: see docs/schema.md, "Messages have a natural key". */
export interface MessageKey {
  readonly accountId: AccountId
  readonly lt: bigint
}

/** Hash of the ordinary cell without bits and references: SHA-256 of its two descriptor bytes 00 00. */
const EMPTY_CELL_HASH = Buffer.from('96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7', 'hex')
const MAX_INT8 = 0x7fffffffffffffffn

/** Since this version the slot after the value holds flags instead of a fee. Source: TON global versions, 12. */
const EXTRA_FLAGS_VERSION = 12

export interface MessageContext {
  readonly ids: AccountIds
  readonly globalVersion: number
  readonly codes: CodeRows
}

export function writeMessageRow(
  rows: CopyBuffer,
  message: DecodedMessage,
  key: MessageKey,
  to: MessageContext,
): void {
  const hasExtraFlags = to.globalVersion >= EXTRA_FLAGS_VERSION
  rows.startRow()
  rows.int8(key.accountId)
  rows.int8(key.lt)
  rows.int8(message.destination && to.ids.idOf(message.destination))
  rows.int8(message.value)
  rows.int8(message.fwdFee)
  rows.int8(hasExtraFlags ? undefined : message.ihrFeeOrExtraFlags)
  // Anyone can write 120 bits here; the amount is not taken from anybody.
  rows.int8(message.importFee !== undefined && message.importFee > MAX_INT8 ? undefined : message.importFee)
  rows.int8(message.bodyHash.readBigInt64BE(0))
  rows.int4(message.createdAt)
  rows.int4(message.opcode)
  rows.int2(MESSAGE_KIND.indexOf(message.kind))
  rows.int2(flagsOf(message))
  rows.bytea(message.hash)
  rows.bytea(message.hashNorm)
  rows.bytea(message.bodyHash.equals(EMPTY_CELL_HASH) ? undefined : message.body)
  writeInitState(rows, message.initState, to.codes)
  rows.bytea(message.externalDestination && packExternalAddress(message.externalDestination))
  rows.jsonb(extraCurrenciesJson(message.valueExtraCurrencies))
  rows.numeric(hasExtraFlags ? message.ihrFeeOrExtraFlags : undefined)
}

function writeInitState(rows: CopyBuffer, boc: Buffer | undefined, codes: CodeRows): void {
  const stored = boc && splitInitState(boc)
  if (stored?.code) codes.add(stored.code.hash, stored.code.boc)
  rows.bytea(stored?.initState)
  rows.bytea(stored?.code?.hash)
}

const flagsOf = (message: DecodedMessage): number =>
  (message.ihrDisabled ? MESSAGE_FLAGS.ihrDisabled : 0) |
  (message.bounce ? MESSAGE_FLAGS.bounce : 0) |
  (message.bounced ? MESSAGE_FLAGS.bounced : 0) |
  (message.isSystem ? MESSAGE_FLAGS.system : 0)

function packExternalAddress({ bits, bytes }: { readonly bits: number; readonly bytes: Buffer }): Buffer {
  const packed = Buffer.alloc(2 + bytes.length)
  packed.writeUInt16BE(bits)
  bytes.copy(packed, 2)
  return packed
}

/** Undefined when there are none, so that the column is null and costs nothing. */
export function extraCurrenciesJson(
  currencies: ExtraCurrencies | undefined,
): Record<string, string> | undefined {
  if (!currencies || currencies.size === 0) return undefined
  return Object.fromEntries([...currencies].map(([id, amount]) => [String(id), amount.toString()]))
}
