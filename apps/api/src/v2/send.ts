import { requestCell, type V2Refusal } from '@shardwalk/api-schema'
import type { Cell } from '@shardwalk/cells'
import { type DecodedMessage, DecodeError } from '@shardwalk/model'
import { loadMessage } from '@shardwalk/tlb'
import type { V2Context, V2Handlers } from './context.ts'
import { failure, toV2Failure } from './failures.ts'

/** Servers that get a message. Source: API v2 specification 3.3. */
const COPIES = 5
/** Larger ones no node takes. */
const MAX_MESSAGE_BYTES = 65_535
const EXTERNAL_IN = 0b10

function readExternal(boc: Buffer): DecodedMessage {
  const cell = requestCell(boc, 'body')
  if (boc.length > MAX_MESSAGE_BYTES)
    throw failure(500, 'LITE_SERVER_UNKNOWN: external message too large, rejecting')
  if (cell.isExotic || cell.bits < 2) throw failure(500, 'Failed to unpack Message')
  if (cell.slice().preloadUint(2) !== EXTERNAL_IN) throw notExternal(cell)
  return unpack(cell)
}

function notExternal(cell: Cell): V2Refusal {
  unpack(cell)
  return failure(500, 'CommonMsgInfo tag is not ext_in_msg_info')
}

function unpack(cell: Cell): DecodedMessage {
  try {
    return loadMessage(cell.slice())
  } catch (error) {
    if (error instanceof DecodeError) throw failure(500, 'Failed to unpack Message')
    throw error
  }
}

/** Sends the bytes as they came; the hashes are known beforehand. What a server took is remembered. */
export async function sendExternal({ chain, sent }: V2Context, boc: Buffer) {
  const { hash, hashNorm = hash } = readExternal(boc)
  await chain.client.pool.sendMessage(boc, { copies: COPIES })
  sent.remember({ hashNorm, boc })
  return {
    '@type': 'raw.extMessageInfo',
    hash: hash.toString('base64'),
    hash_norm: hashNorm.toString('base64'),
  }
}

export const SEND_HANDLERS: V2Handlers<'sendBoc' | 'sendBocReturnHash' | 'sendBocReturnHashNoError'> = {
  async sendBoc(context, { boc }) {
    await sendExternal(context, boc)
    return { '@type': 'ok' }
  },
  sendBocReturnHash: (context, { boc }) => sendExternal(context, boc),
  async sendBocReturnHashNoError(context, { boc }) {
    try {
      return await sendExternal(context, boc)
    } catch (error) {
      const { status, text } = toV2Failure(error, 'post')
      throw status >= 500 ? failure(400, text) : error
    }
  },
}
