import { type Cell, loadStdAddress, lookup, type Slice } from '@shardwalk/cells'
import type { LiteObject } from '@shardwalk/tl'
import type { BlockTree } from '../block-trees.ts'

/** Depth of a transaction below the message that began it, and that message by account and lt. */
export type Metadata = LiteObject<'liteServer.transactionMetadata'>

/** Origin of the message that a transaction received; undefined for messages without metadata. */
export function metadataOf(tree: BlockTree, transaction: Cell): Metadata | undefined {
  const message = inMessage(transaction)
  const inMsg = message && lookup(inMsgDescr(tree), 256, message.hash())
  if (!inMsg) return undefined
  // Skips ImportFees: fees_collected Grams, value_imported CurrencyCollection.
  inMsg.loadCoins()
  inMsg.loadCoins()
  inMsg.loadMaybeRefCell()
  return hasEnvelope(inMsg) ? envelopeMetadata(inMsg.loadRefSlice()) : undefined
}

/** Source: block.tlb `Transaction`, `^[ in_msg:(Maybe ^(Message Any)) ... ]`. */
function inMessage(transaction: Cell): Cell | undefined {
  return transaction.refs[0]!.slice().loadMaybeRefCell()
}

function inMsgDescr(tree: BlockTree): Slice | undefined {
  const dict = tree.extra.slice().loadRefSlice()
  return dict.loadBit() ? dict.loadRefSlice() : undefined
}

/** Source: block.tlb `msg_import_imm$011`, `msg_import_fin$100`, `msg_import_deferred_fin$00100`. */
function hasEnvelope(inMsg: Slice): boolean {
  const tag = inMsg.preloadUint(3)
  return tag === 0b011 || tag === 0b100 || (tag === 0b001 && inMsg.preloadUint(5) === 0b00100)
}

/**
 * Source: block.tlb `msg_envelope_v2#5`, `msg_metadata#0 depth:uint32 initiator_addr:MsgAddressInt
 * initiator_lt:uint64`.
 */
export function envelopeMetadata(envelope: Slice): Metadata | undefined {
  if (envelope.loadUint(4) !== 5) return undefined
  skipIntermediateAddress(envelope)
  skipIntermediateAddress(envelope)
  envelope.loadCoins()
  envelope.skipRefs(1)
  if (envelope.loadBit()) envelope.skip(64)
  if (!envelope.loadBit()) return undefined
  envelope.skip(4)
  const depth = envelope.loadUint(32)
  const initiator = loadStdAddress(envelope)
  if (!initiator) return undefined
  const initiatorLt = envelope.loadUintBig(64)
  return { mode: 0, depth, initiator: { workchain: initiator.workchain, id: initiator.hash }, initiatorLt }
}

/**
 * Source: block.tlb `interm_addr_regular$0` (7 bits), `interm_addr_simple$10` (72), `interm_addr_ext$11`
 * (96).
 */
function skipIntermediateAddress(slice: Slice): void {
  if (!slice.loadBit()) slice.skip(7)
  else slice.skip(slice.loadBit() ? 96 : 72)
}
