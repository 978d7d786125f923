import { CELL, loadMsgAddress, refToBoc, remainderHash, remainderToBoc, type Slice } from '@shardwalk/cells'
import { type DecodedMessage, DecodeError, type RawAddress } from '@shardwalk/model'
import { loadCurrencyCollection } from './currency.ts'
import { normalizedHash } from './normalized-hash.ts'
import { measureStateInit } from './state-init.ts'

/** Addresses and money of a message: everything before `init`. */
type MessageInfo = Omit<
  DecodedMessage,
  'hash' | 'hashNorm' | 'body' | 'bodyHash' | 'opcode' | 'initState' | 'initStateHash'
>

/**
 * block.tlb `message$_ info:CommonMsgInfo init:(Maybe (Either StateInit ^StateInit)) body:(Either X ^X)`; `slice` stands at
 * the start of the message's own cell. Body and init are given as bags of cells, the same whether they stood in line or
 * in a reference. Throws DecodeError.
 */
export function loadMessage(slice: Slice): DecodedMessage {
  const hash = slice.cellHash()
  const start = slice.clone()
  const info = loadMessageInfo(slice)
  const init = loadInit(slice)
  const body = loadBody(slice)
  const hashNorm = info.kind === 'external_in' ? normalizedHash(start, body) : undefined
  return {
    ...info,
    hash,
    ...(hashNorm && !hashNorm.equals(hash) && { hashNorm }),
    ...(body.opcode !== undefined && { opcode: body.opcode }),
    bodyHash: body.hash,
    body: body.boc,
    ...init,
  }
}

/** block.tlb `int_msg_info$0`, `ext_in_msg_info$10`, `ext_out_msg_info$11`. */
export function loadMessageInfo(slice: Slice): MessageInfo {
  if (!slice.loadBit()) return loadInternalInfo(slice)
  return slice.loadBit() ? loadExternalOutInfo(slice) : loadExternalInInfo(slice)
}

function loadInternalInfo(slice: Slice): MessageInfo {
  const ihrDisabled = slice.loadBit()
  const bounce = slice.loadBit()
  const bounced = slice.loadBit()
  const source = loadInternalAddress(slice)
  const destination = loadInternalAddress(slice)
  const { grams, extra } = loadCurrencyCollection(slice)
  return {
    kind: 'internal',
    source,
    destination,
    value: grams,
    valueExtraCurrencies: extra,
    ihrFeeOrExtraFlags: slice.loadCoins(),
    fwdFee: slice.loadCoins(),
    createdLt: slice.loadUintBig(64),
    createdAt: slice.loadUint(32),
    ihrDisabled,
    bounce,
    bounced,
  }
}

function loadExternalInInfo(slice: Slice): MessageInfo {
  loadMsgAddress(slice)
  const destination = loadInternalAddress(slice)
  return { kind: 'external_in', destination, importFee: slice.loadCoins() }
}

function loadExternalOutInfo(slice: Slice): MessageInfo {
  const source = loadInternalAddress(slice)
  const destination = loadMsgAddress(slice)
  return {
    kind: 'external_out',
    source,
    externalDestination: destination.type === 'extern' ? destination.bits : undefined,
    createdLt: slice.loadUintBig(64),
    createdAt: slice.loadUint(32),
  }
}

/** `addr_std`; an `addr_var` with 256 bits in a workchain of 8 bits names the same account and is read as it. */
function loadInternalAddress(slice: Slice): RawAddress | undefined {
  const address = loadMsgAddress(slice)
  if (address.type === 'std') return address.address
  if (address.type !== 'var' || address.bits.bits !== 256) return undefined
  return { workchain: address.workchain, hash: address.bits.bytes }
}

function loadInit(slice: Slice): { readonly initState: Buffer; readonly initStateHash: Buffer } | undefined {
  if (!slice.loadBit()) return undefined
  if (slice.loadBit()) {
    const init = { initState: refToBoc(slice), initStateHash: slice.refHash() }
    slice.skipRefs(1)
    return init
  }
  const { bits, refs } = measureStateInit(slice)
  const part = slice.loadPart(bits, refs)
  return { initState: remainderToBoc(part), initStateHash: remainderHash(part) }
}

/** A message body. `opcode` is absent below 32 bits and in exotic cells. */
export interface MessageBody {
  readonly hash: Buffer
  readonly depth: number
  readonly boc: Buffer
  readonly opcode?: number
}

function loadBody(slice: Slice): MessageBody {
  if (!slice.loadBit()) {
    const opcode = slice.remainingBits >= 32 ? slice.preloadUint(32) : undefined
    return { hash: remainderHash(slice), depth: depthBelow(slice), boc: remainderToBoc(slice), opcode }
  }
  const hash = slice.refHash()
  const depth = slice.refDepth()
  const boc = refToBoc(slice)
  const opcode = slice.refType() === CELL.ordinary ? opcodeOf(slice.preloadRefSlice()) : undefined
  slice.skipRefs(1).expectEnd('message')
  return { hash, depth, boc, opcode }
}

const opcodeOf = (body: Slice): number | undefined => (body.remainingBits >= 32 ? body.preloadUint(32) : undefined)

function depthBelow(slice: Slice): number {
  let depth = 0
  for (let i = 0; i < slice.remainingRefs; i++) depth = Math.max(depth, slice.refDepth(i) + 1)
  return depth
}

/** Moves past `info` of a message and returns the raw bits of an external-in destination. Used by the normalised hash. */
export function loadExternalInDestination(slice: Slice): Slice {
  if (slice.loadUint(2) !== 0b10) throw new DecodeError('message', 'not an external-in message')
  loadMsgAddress(slice)
  const after = slice.clone()
  loadMsgAddress(after)
  return slice.loadPart(slice.remainingBits - after.remainingBits, 0)
}
