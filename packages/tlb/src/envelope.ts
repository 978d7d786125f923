import { loadStdAddress, type Slice } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'

/**
 * Root of the trace a message belongs to. `depth` 0: sent by the root transaction itself. block.tlb
 * `msg_metadata#0`.
 */
export interface MsgMetadata {
  readonly depth: number
  readonly initiator: RawAddress | undefined
  readonly initiatorLt: bigint
}

/**
 * A message on its way between blocks. `fwdFeeRemaining` in nanotons; `emittedLt` and `metadata` in the
 * second form only.
 */
export interface MsgEnvelope {
  readonly fwdFeeRemaining: bigint
  /** Reader limited to the one reference to the message. */
  readonly message: Slice
  readonly emittedLt?: bigint
  readonly metadata?: MsgMetadata
}

/** block.tlb `msg_envelope#4` and `msg_envelope_v2#5`. */
export function loadMsgEnvelope(slice: Slice): MsgEnvelope {
  const tag = slice.loadUint(4)
  if (tag !== 4 && tag !== 5) throw new DecodeError('msg_envelope', `unknown tag ${tag}`)
  skipIntermediateAddress(slice)
  skipIntermediateAddress(slice)
  const fwdFeeRemaining = slice.loadCoins()
  const message = slice.loadPart(0, 1)
  if (tag === 4) return { fwdFeeRemaining, message }
  const emittedLt = slice.loadBit() ? slice.loadUintBig(64) : undefined
  const metadata = slice.loadBit() ? loadMsgMetadata(slice) : undefined
  return {
    fwdFeeRemaining,
    message,
    ...(emittedLt !== undefined && { emittedLt }),
    ...(metadata && { metadata }),
  }
}

function loadMsgMetadata(slice: Slice): MsgMetadata {
  if (slice.loadUint(4) !== 0) throw new DecodeError('msg_metadata', 'unknown tag')
  return { depth: slice.loadUint(32), initiator: loadStdAddress(slice), initiatorLt: slice.loadUintBig(64) }
}

/**
 * block.tlb `interm_addr_regular$0 use_dest_bits:(#<= 96)`, `interm_addr_simple$10`, `interm_addr_ext$11`.
 */
function skipIntermediateAddress(slice: Slice): void {
  if (!slice.loadBit()) slice.skip(7)
  else slice.skip(slice.loadBit() ? 32 + 64 : 8 + 64)
}
