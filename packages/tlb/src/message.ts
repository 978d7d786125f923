import {
  CELL,
  EMPTY_CELL,
  loadMsgAddress,
  refToBoc,
  remainderHash,
  remainderToBoc,
  type Slice,
  serializeBoc,
} from '@shardwalk/cells'
import { type DecodedMessage, DecodeError, type MessageKind, type RawAddress } from '@shardwalk/model'
import { loadExtraCurrencies } from './currency.ts'
import { normalizedHash } from './normalized-hash.ts'
import { measureStateInit } from './state-init.ts'

/**
 * A message being read. Why one literal with every field: all messages then share one shape, and nothing is
 * copied.
 */
type Draft = { -readonly [K in keyof DecodedMessage]: DecodedMessage[K] }

const draft = (kind: MessageKind, hash: Buffer): Draft => ({
  kind,
  isSystem: undefined,
  hash,
  hashNorm: undefined,
  source: undefined,
  destination: undefined,
  externalDestination: undefined,
  value: undefined,
  valueExtraCurrencies: undefined,
  fwdFee: undefined,
  ihrFeeOrExtraFlags: undefined,
  importFee: undefined,
  createdLt: undefined,
  createdAt: undefined,
  ihrDisabled: undefined,
  bounce: undefined,
  bounced: undefined,
  opcode: undefined,
  bodyHash: hash,
  body: hash,
  initStateHash: undefined,
  initState: undefined,
})

/**
 * block.tlb `message$_ info:CommonMsgInfo init:(Maybe (Either StateInit ^StateInit)) body:(Either X ^X)`;
 * `slice` stands at the start of the message's own cell. Body and init are given as bags of cells, the same
 * whether they stood in line or in a reference. Throws DecodeError.
 */
export function loadMessage(slice: Slice): DecodedMessage {
  const hash = slice.cellHash()
  const start = slice.clone()
  const message = loadMessageInfo(slice, hash)
  loadInit(slice, message)
  const bodyDepth = loadBody(slice, message)
  if (message.kind === 'external_in') {
    const body = { hash: message.bodyHash, depth: bodyDepth }
    const hashNorm = normalizedHash(loadExternalInDestination(start), body)
    if (!hashNorm.equals(hash)) message.hashNorm = hashNorm
  }
  return message
}

/** block.tlb `int_msg_info$0`, `ext_in_msg_info$10`, `ext_out_msg_info$11`. */
function loadMessageInfo(slice: Slice, hash: Buffer): Draft {
  if (!slice.loadBit()) return loadInternalInfo(slice, draft('internal', hash))
  return slice.loadBit()
    ? loadExternalOutInfo(slice, draft('external_out', hash))
    : loadExternalInInfo(slice, draft('external_in', hash))
}

function loadInternalInfo(slice: Slice, message: Draft): Draft {
  message.ihrDisabled = slice.loadBit()
  message.bounce = slice.loadBit()
  message.bounced = slice.loadBit()
  message.source = loadInternalAddress(slice)
  message.destination = loadInternalAddress(slice)
  message.value = slice.loadCoins()
  message.valueExtraCurrencies = loadExtraCurrencies(slice)
  message.ihrFeeOrExtraFlags = slice.loadCoins()
  message.fwdFee = slice.loadCoins()
  message.createdLt = slice.loadUintBig(64)
  message.createdAt = slice.loadUint(32)
  return message
}

function loadExternalInInfo(slice: Slice, message: Draft): Draft {
  loadMsgAddress(slice)
  message.destination = loadInternalAddress(slice)
  message.importFee = slice.loadCoins()
  return message
}

function loadExternalOutInfo(slice: Slice, message: Draft): Draft {
  message.source = loadInternalAddress(slice)
  const destination = loadMsgAddress(slice)
  if (destination.type === 'extern') message.externalDestination = destination.bits
  message.createdLt = slice.loadUintBig(64)
  message.createdAt = slice.loadUint(32)
  return message
}

/**
 * `addr_std`; an `addr_var` with 256 bits in a workchain of 8 bits names the same account and is read as it.
 */
function loadInternalAddress(slice: Slice): RawAddress | undefined {
  if (slice.preloadUint(3) === PLAIN_STD)
    return { workchain: slice.skip(3).loadInt(8), hash: slice.loadBytes(32) }
  const address = loadMsgAddress(slice)
  if (address.type === 'std') return address.address
  if (address.type !== 'var' || address.bits.bits !== 256) return undefined
  return { workchain: address.workchain, hash: address.bits.bytes }
}

/** `addr_std$10` without anycast. */
const PLAIN_STD = 0b100

function loadInit(slice: Slice, message: Draft): void {
  if (!slice.loadBit()) return
  if (slice.loadBit()) {
    message.initState = refToBoc(slice)
    message.initStateHash = slice.refHash()
    slice.skipRefs(1)
    return
  }
  const { bits, refs } = measureStateInit(slice)
  const part = slice.loadPart(bits, refs)
  message.initState = remainderToBoc(part)
  message.initStateHash = remainderHash(part)
}

/**
 * Sets body, its hash and the opcode, which is absent below 32 bits and in exotic cells. Returns the body's
 * depth.
 */
function loadBody(slice: Slice, message: Draft): number {
  if (!slice.loadBit()) {
    message.opcode = opcodeOf(slice)
    message.bodyHash = slice.isEmpty ? EMPTY_HASH : remainderHash(slice)
    message.body = slice.isEmpty ? EMPTY_BOC : remainderToBoc(slice)
    return depthBelow(slice)
  }
  message.bodyHash = slice.refHash()
  message.body = refToBoc(slice)
  if (slice.refType() === CELL.ordinary) message.opcode = opcodeOf(slice.preloadRefSlice())
  const depth = slice.refDepth()
  slice.skipRefs(1).expectEnd('message')
  return depth
}

const EMPTY_HASH = EMPTY_CELL.hash()
const EMPTY_BOC = serializeBoc(EMPTY_CELL)

const opcodeOf = (body: Slice): number | undefined =>
  body.remainingBits >= 32 ? body.preloadUint(32) : undefined

function depthBelow(slice: Slice): number {
  let depth = 0
  for (let i = 0; i < slice.remainingRefs; i++) depth = Math.max(depth, slice.refDepth(i) + 1)
  return depth
}

/**
 * Moves past `info` of a message and returns the raw bits of an external-in destination. Used by the
 * normalised hash.
 */
function loadExternalInDestination(slice: Slice): Slice {
  if (slice.loadUint(2) !== 0b10) throw new DecodeError('message', 'not an external-in message')
  loadMsgAddress(slice)
  const after = slice.clone()
  loadMsgAddress(after)
  return slice.loadPart(slice.remainingBits - after.remainingBits, 0)
}
