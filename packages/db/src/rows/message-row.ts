import { EMPTY_CELL } from '@shardwalk/cells'
import {
  type AccountId,
  type DecodedMessage,
  type ExtraCurrencies,
  extraCurrencyTexts,
  type Lt,
  MESSAGE_KIND,
} from '@shardwalk/model'
import { MESSAGE_FLAGS, type Tables } from '@shardwalk/tables'
import type { AccountIds } from './account-ids.ts'
import type { CodeRows } from './code-rows.ts'
import type { CopyBuffer } from './copy-buffer.ts'
import { splitInitState } from './init-state.ts'

/** Key of a message in the table: see docs/storage.md, "Message keys". */
export interface MessageKey {
  readonly accountId: AccountId
  readonly lt: Lt
}

const EMPTY_CELL_HASH = EMPTY_CELL.hash()
const MAX_INT8 = 0x7fffffffffffffffn

/**
 * From this version on, the slot after the value holds flags instead of a fee. Source: node,
 * doc/GlobalVersions.md, version 12.
 */
const EXTRA_FLAGS_VERSION = 12

/** What the rows of a batch share. */
export interface MessageContext {
  readonly ids: AccountIds
  /** Undefined: not known. Neither column has the slot then. */
  readonly globalVersion: number | undefined
  readonly codes: CodeRows
}

/**
 * Appends a row of `messages`; a large code in its state-init goes to `to.codes`. Throws RangeError for an
 * amount beyond 64 bits.
 */
export function writeMessageRow(
  rows: CopyBuffer<Tables['messages']>,
  message: DecodedMessage,
  key: MessageKey,
  to: MessageContext,
): void {
  const { globalVersion } = to
  const slot = globalVersion === undefined ? undefined : message.ihrFeeOrExtraFlags
  const hasExtraFlags = globalVersion !== undefined && globalVersion >= EXTRA_FLAGS_VERSION
  const destinationId = message.destination && to.ids.idOf(message.destination)
  to.ids.noteRow(key.accountId, key.lt)
  if (destinationId !== undefined) to.ids.noteRow(destinationId, key.lt)
  rows.startRow()
  rows.int8('account_id', key.accountId)
  rows.int8('lt', key.lt)
  rows.int8('destination_id', destinationId)
  rows.int8('value', message.value)
  rows.int8('fwd_fee', message.fwdFee)
  rows.int8('ihr_fee', hasExtraFlags ? undefined : slot)
  // The sender can write any 120 bits here; the amount is not deducted from any account.
  rows.int8(
    'import_fee',
    message.importFee !== undefined && message.importFee > MAX_INT8 ? undefined : message.importFee,
  )
  rows.int8('body_hash8', message.bodyHash.readBigInt64BE(0))
  rows.int4('created_at', message.createdAt)
  rows.int4('opcode', message.opcode)
  rows.int2('kind', MESSAGE_KIND.indexOf(message.kind))
  rows.int2('flags', flagsOf(message))
  rows.bytea('hash', message.hash)
  rows.bytea('hash_norm', message.hashNorm)
  rows.bytea('body', message.bodyHash.equals(EMPTY_CELL_HASH) ? undefined : message.body)
  writeInitState(rows, message.initState, to.codes)
  rows.bytea(
    'external_destination',
    message.externalDestination && packExternalAddress(message.externalDestination),
  )
  rows.jsonb('value_extra', extraCurrenciesJson(message.valueExtraCurrencies))
  rows.numeric('extra_flags', hasExtraFlags ? slot : undefined)
}

function writeInitState(
  rows: CopyBuffer<Tables['messages']>,
  boc: Buffer | undefined,
  codes: CodeRows,
): void {
  const stored = boc && splitInitState(boc)
  if (stored?.code) codes.add(stored.code.hash, stored.code.boc)
  rows.bytea('init_state', stored?.initState)
  rows.bytea('init_code_hash', stored?.code?.hash)
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

/** Amounts by currency id, both decimal. Undefined when there are none: the column is null then. */
export function extraCurrenciesJson(
  currencies: ExtraCurrencies | undefined,
): Record<string, string> | undefined {
  if (!currencies || currencies.size === 0) return undefined
  return extraCurrencyTexts(currencies)
}
