import { type Cell, loadMsgAddress, type MsgAddress, type Slice, sliceToCell } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { skipCurrencyCollection } from '@shardwalk/tlb'
import { loadAddressText } from './address-text.ts'

/** A message that a contract asks to have sent. `value` in nanotons; undefined for an external message. */
export interface RelaxedMessage {
  readonly destination: MsgAddress
  readonly value: bigint | undefined
  readonly body: Cell
}

/** block.tlb `MessageRelaxed Any`. Throws DecodeError. */
export function loadRelaxedMessage(slice: Slice): RelaxedMessage {
  const isExternal = slice.loadBit()
  if (isExternal && !slice.loadBit())
    throw new DecodeError('message_relaxed.info', 'an inbound external message cannot be sent')
  // ihr_disabled, bounce, bounced
  if (!isExternal) slice.skip(3)
  loadMsgAddress(slice)
  const destination = loadMsgAddress(slice)
  const value = isExternal ? undefined : loadGrams(slice)
  if (!isExternal) {
    slice.loadCoins()
    slice.loadCoins()
  }
  slice.skip(64 + 32)
  skipStateInit(slice)
  const body = slice.loadBit() ? slice.loadRefCell() : sliceToCell(slice)
  return { destination, value, body }
}

/** Of a CurrencyCollection; the other currencies, which have not been checked, are skipped. */
function loadGrams(slice: Slice): bigint {
  const grams = slice.clone().loadCoins()
  skipCurrencyCollection(slice)
  return grams
}

/** `int_msg_info$0 ihr_disabled bounce bounced src dest value:Grams`, the head of an internal message. */
export function loadInternalHead(slice: Slice): {
  readonly destination: string | null
  readonly value: bigint
} {
  loadAddressText(slice.skip(4))
  return { destination: loadAddressText(slice), value: slice.loadCoins() }
}

/** `init:(Maybe (Either StateInit ^StateInit))`. */
export function skipStateInit(slice: Slice): void {
  if (!slice.loadBit()) return
  if (slice.loadBit()) {
    slice.skipRefs(1)
    return
  }
  if (slice.loadBit()) slice.skip(5)
  if (slice.loadBit()) slice.skip(2)
  for (const _part of ['code', 'data', 'library']) if (slice.loadBit()) slice.skipRefs(1)
}
