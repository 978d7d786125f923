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

/** The query cannot be answered, whenever it is asked. */
export const badRequest = (message: string): Refusal => new Refusal(LITE_ERROR.badQuery, message)
/** What is asked for is not there, and may be there later. */
export const notReady = (message: string): Refusal => new Refusal(LITE_ERROR.notReady, message)
