import { parseBoc } from '@shardwalk/cells'
import type { AdmittedMessage } from '@shardwalk/db'
import { readRootMessage } from '@shardwalk/emulation'
import { DecodeError, deriveAccountId, formatRawAddress } from '@shardwalk/model'

/** Nodes take no larger messages. Source: node, crypto/block/mc-config.h, `SizeLimitsConfig`. */
const MAX_MESSAGE_BYTES = 65_535
const MAX_CELLS = 8_192

/**
 * What is stored of an external message. Throws `EmulationError` and `DecodeError` for anything that is not
 * one.
 */
export function readSentMessage(boc: Buffer): AdmittedMessage {
  if (boc.length > MAX_MESSAGE_BYTES)
    throw new DecodeError('message', `${boc.length} bytes, at most ${MAX_MESSAGE_BYTES}`)
  const bag = parseBoc(boc, { expectedRoots: 1 })
  if (bag.count > MAX_CELLS) throw new DecodeError('message', `${bag.count} cells, at most ${MAX_CELLS}`)
  const { message } = readRootMessage(bag.cell(bag.root))
  if (message.kind !== 'external_in') throw new DecodeError('message', 'is not external')
  const { hash, hashNorm = hash, destination } = message
  return {
    hashNorm,
    hash,
    boc,
    account: formatRawAddress(destination!),
    accountId: deriveAccountId(destination!),
  }
}
