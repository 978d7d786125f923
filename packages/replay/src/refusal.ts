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

const BAD_REQUEST = -400
export const STATE_GONE = 602
const NOT_READY = 651
export const WAIT_TIMEOUT = 652

export const badRequest = (message: string): Refusal => new Refusal(BAD_REQUEST, message)
export const notReady = (message: string): Refusal => new Refusal(NOT_READY, message)
