import { budgetOf, type DictKey, forEachLeaf, loadDictRoot, type Slice } from '@shardwalk/cells'
import { DecodeError } from '@shardwalk/model'
import { skipCurrencyCollection } from './currency.ts'
import { loadMsgEnvelope, type MsgEnvelope } from './envelope.ts'

/** Constructors of block.tlb `InMsg`, without `msg_` and `import_`. */
export type InMsgKind =
  | 'ext'
  | 'ihr'
  | 'imm'
  | 'fin'
  | 'tr'
  | 'discard_fin'
  | 'discard_tr'
  | 'deferred_fin'
  | 'deferred_tr'

/**
 * How a message came into the block. Readers are limited to one reference each: use `refHash`,
 * `loadRefSlice`.
 */
export interface InMsg {
  readonly kind: InMsgKind
  /** The message itself: external and IHR imports. */
  readonly message?: Slice
  readonly envelope?: MsgEnvelope
  /** Envelope it leaves in: transit and deferred transit. */
  readonly outEnvelope?: MsgEnvelope
  readonly transaction?: Slice
  readonly fee?: bigint
  readonly transactionLt?: bigint
}

/** Constructors of block.tlb `OutMsg`, without `msg_export_`. */
export type OutMsgKind =
  | 'ext'
  | 'imm'
  | 'new'
  | 'tr'
  | 'deq_imm'
  | 'deq'
  | 'deq_short'
  | 'tr_req'
  | 'new_defer'
  | 'deferred_tr'

/** How a message left the block. */
export interface OutMsg {
  readonly kind: OutMsgKind
  readonly message?: Slice
  readonly envelope?: MsgEnvelope
  readonly transaction?: Slice
  /** Reader limited to the reference to the `InMsg` that brought it in. */
  readonly imported?: Slice
  readonly importBlockLt?: bigint
  readonly envelopeHash?: Buffer
}

/** block.tlb `InMsg`. */
export function loadInMsg(slice: Slice): InMsg {
  switch (slice.loadUint(3)) {
    case 0b000:
      return { kind: 'ext', message: slice.loadPart(0, 1), transaction: slice.loadPart(0, 1) }
    case 0b010:
      return {
        kind: 'ihr',
        message: slice.loadPart(0, 1),
        transaction: slice.loadPart(0, 1),
        fee: slice.loadCoins(),
      }
    case 0b011:
      return delivered(slice, 'imm')
    case 0b100:
      return delivered(slice, 'fin')
    case 0b101:
      return { ...transit(slice, 'tr'), fee: slice.loadCoins() }
    case 0b110:
      return discarded(slice, 'discard_fin')
    case 0b111:
      return discarded(slice, 'discard_tr')
    default: {
      const tail = slice.loadUint(2)
      if (tail > 1) throw new DecodeError('in_msg', `unknown tag 001${tail.toString(2).padStart(2, '0')}`)
      return tail === 0 ? delivered(slice, 'deferred_fin') : transit(slice, 'deferred_tr')
    }
  }
}

function delivered(slice: Slice, kind: InMsgKind): InMsg {
  const envelope = loadMsgEnvelope(slice.loadRefSlice())
  return { kind, envelope, transaction: slice.loadPart(0, 1), fee: slice.loadCoins() }
}

function transit(slice: Slice, kind: InMsgKind): InMsg {
  return {
    kind,
    envelope: loadMsgEnvelope(slice.loadRefSlice()),
    outEnvelope: loadMsgEnvelope(slice.loadRefSlice()),
  }
}

function discarded(slice: Slice, kind: InMsgKind): InMsg {
  const envelope = loadMsgEnvelope(slice.loadRefSlice())
  return { kind, envelope, transactionLt: slice.loadUintBig(64), fee: slice.loadCoins() }
}

/** block.tlb `OutMsg`. */
function loadOutMsg(slice: Slice): OutMsg {
  switch (slice.loadUint(3)) {
    case 0b000:
      return { kind: 'ext', message: slice.loadPart(0, 1), transaction: slice.loadPart(0, 1) }
    case 0b010:
      return { ...sent(slice, 'imm'), imported: slice.loadPart(0, 1) }
    case 0b001:
      return sent(slice, 'new')
    case 0b011:
      return passed(slice, 'tr')
    case 0b100:
      return passed(slice, 'deq_imm')
    case 0b110:
      return slice.loadBit() ? dequeuedShort(slice) : dequeued(slice)
    case 0b111:
      return passed(slice, 'tr_req')
    default: {
      const tail = slice.loadUint(2)
      if (tail > 1) throw new DecodeError('out_msg', `unknown tag 101${tail.toString(2).padStart(2, '0')}`)
      return tail === 0 ? sent(slice, 'new_defer') : passed(slice, 'deferred_tr')
    }
  }
}

function sent(slice: Slice, kind: OutMsgKind): OutMsg {
  return { kind, envelope: loadMsgEnvelope(slice.loadRefSlice()), transaction: slice.loadPart(0, 1) }
}

function passed(slice: Slice, kind: OutMsgKind): OutMsg {
  return { kind, envelope: loadMsgEnvelope(slice.loadRefSlice()), imported: slice.loadPart(0, 1) }
}

function dequeued(slice: Slice): OutMsg {
  return {
    kind: 'deq',
    envelope: loadMsgEnvelope(slice.loadRefSlice()),
    importBlockLt: slice.loadUintBig(63),
  }
}

/** `msg_env_hash:bits256 next_workchain:int32 next_addr_pfx:uint64 import_block_lt:uint64`. */
function dequeuedShort(slice: Slice): OutMsg {
  const envelopeHash = slice.loadBytes(32)
  slice.skip(32 + 64)
  return { kind: 'deq_short', envelopeHash, importBlockLt: slice.loadUintBig(64) }
}

/** Visits `InMsgDescr = HashmapAugE 256 InMsg ImportFees`; the key is the message hash. */
export function forEachInMsg(descr: Slice, visit: (inMsg: InMsg, messageHash: Buffer) => void): void {
  const read = (value: Slice, key: DictKey) => {
    // ImportFees: fees_collected:Grams value_imported:CurrencyCollection.
    value.loadCoins()
    skipCurrencyCollection(value)
    visit(loadInMsg(value), key.toBuffer())
  }
  forEachLeaf(loadDictRoot(descr.clone()), 256, read, { budget: budgetOf(descr) })
}

/** Visits `OutMsgDescr = HashmapAugE 256 OutMsg CurrencyCollection`. */
export function forEachOutMsg(descr: Slice, visit: (outMsg: OutMsg, messageHash: Buffer) => void): void {
  const read = (value: Slice, key: DictKey) => {
    skipCurrencyCollection(value)
    visit(loadOutMsg(value), key.toBuffer())
  }
  forEachLeaf(loadDictRoot(descr.clone()), 256, read, { budget: budgetOf(descr) })
}
