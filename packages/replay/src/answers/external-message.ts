import { type Cell, loadStdAddress, parseBoc } from '@shardwalk/cells'
import { DecodeError, type RawAddress } from '@shardwalk/model'
import { loadMessage } from '@shardwalk/tlb'
import { Refusal } from '../refusal.ts'

/** An external message as a node accepts it for checking. */
export interface ExternalMessage {
  readonly root: Cell
  /** Undefined for a destination that no account can have. */
  readonly destination: RawAddress | undefined
}

/** Source: node, crypto/block/mc-config.h, `SizeLimitsConfig::ExtMsgLimits`. */
const MAX_BYTES = 65_535
const MAX_DEPTH = 512

/** What the node puts before the reason for refusing a message that its receiver does not accept. */
export const NOT_APPLIED = 'cannot apply external message to current state : '

/** Throws `Refusal`. Source: node, validator/impl/external-message.cpp, `create_ext_message`. */
export function readExternalMessage(body: Buffer): ExternalMessage {
  if (body.length > MAX_BYTES) throw unreadable('external message too large, rejecting')
  const root = readRoot(body)
  if (root.levelMask !== 0) throw unreadable('external message must have zero level')
  if (root.depth() >= MAX_DEPTH) throw unreadable('external message is too deep')
  // Source: block.tlb `ext_in_msg_info$10 src:MsgAddressExt dest:MsgAddressInt`.
  const message = root.slice()
  if (message.remainingBits < 2 || message.loadUint(2) !== 0b10)
    throw unreadable('external message must begin with ext_in_msg_info$10')
  try {
    loadMessage(root.slice())
    if (message.loadUint(2) === 0b01) message.skip(message.loadUint(9))
    return { root, destination: loadStdAddress(message) }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw unreadable('external message is not a (Message Any) according to automated checks')
  }
}

function readRoot(body: Buffer): Cell {
  try {
    const bag = parseBoc(body)
    if (bag.roots.length !== 1) throw unreadable('external message is not a valid bag of cells')
    return bag.cell(bag.root)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    throw unreadable('cannot deserialize bag-of-cells: invalid header, error 0')
  }
}

const unreadable = (problem: string): Refusal =>
  new Refusal(0, `${NOT_APPLIED}failed to parse external message: ${problem}`)
