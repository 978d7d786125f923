import { LITE_ERROR } from '@shardwalk/tl'

/**
 * A `liteServer.error` answer with the code and text of the node. Source: node,
 * validator/impl/liteserver.cpp.
 */
export class Refusal extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

export const badRequest = (message: string): Refusal => new Refusal(LITE_ERROR.badQuery, message)
export const notReady = (message: string): Refusal => new Refusal(LITE_ERROR.notReady, message)
