import { requestCell } from '@shardwalk/api-schema'
import { type NodeAccess, sendMessage } from '@shardwalk/node-access'
import { failure, toV2Failure } from '../node/failures.ts'
import type { V2Handlers } from './handler.ts'

async function send(node: NodeAccess, boc: Buffer) {
  const { hash, hashNorm } = await sendMessage(node, { boc, root: requestCell(boc, 'body') })
  return {
    '@type': 'raw.extMessageInfo',
    hash: hash.toString('base64'),
    hash_norm: hashNorm.toString('base64'),
  }
}

export const SEND_HANDLERS: V2Handlers<'sendBoc' | 'sendBocReturnHash' | 'sendBocReturnHashNoError'> = {
  async sendBoc(node, { boc }) {
    await send(node, boc)
    return { '@type': 'ok' }
  },
  sendBocReturnHash: (node, { boc }) => send(node, boc),
  async sendBocReturnHashNoError(node, { boc }) {
    try {
      return await send(node, boc)
    } catch (error) {
      const { status, text } = toV2Failure(error, 'post')
      throw status >= 500 ? failure(400, text) : error
    }
  },
}
