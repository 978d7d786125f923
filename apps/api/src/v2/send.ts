import { type MessageHashes, type NodeAccess, sendMessage } from '@shardwalk/node-access'
import type { Work } from '@shardwalk/node-access/requests'
import { failure, toV2Failure } from '../node/failures.ts'
import type { V2Handlers } from './handler.ts'

/** Sends a message that is read where large requests are. */
export const sendBag = (node: NodeAccess, boc: Buffer, work: Work): Promise<MessageHashes> =>
  sendMessage(node, {
    boc,
    async hashes() {
      const { hash, hashNorm } = await work('readMessage', { boc })
      return { hash: Buffer.from(hash, 'base64'), hashNorm: Buffer.from(hashNorm, 'base64') }
    },
  })

async function send(node: NodeAccess, boc: Buffer, work: Work) {
  const { hash, hashNorm } = await sendBag(node, boc, work)
  return {
    '@type': 'raw.extMessageInfo',
    hash: hash.toString('base64'),
    hash_norm: hashNorm.toString('base64'),
  }
}

export const SEND_HANDLERS: V2Handlers<'sendBoc' | 'sendBocReturnHash' | 'sendBocReturnHashNoError'> = {
  async sendBoc(node, { boc }, work) {
    await send(node, boc, work)
    return { '@type': 'ok' }
  },
  sendBocReturnHash: (node, { boc }, work) => send(node, boc, work),
  async sendBocReturnHashNoError(node, { boc }, work) {
    try {
      return await send(node, boc, work)
    } catch (error) {
      const { status, text } = toV2Failure(error, 'post')
      throw status >= 500 ? failure(400, text) : error
    }
  },
}
