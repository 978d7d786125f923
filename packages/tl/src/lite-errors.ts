/**
 * Codes of `liteServer.error`. Source: node, validator/impl/liteserver.cpp, and `ErrorCode` of
 * common/errorcode.h.
 */
export const LITE_ERROR = {
  /** The query is wrong, or names what the server does not keep. */
  badQuery: -400,
  failure: 601,
  /** What the query names was removed from the database. */
  error: 602,
  warning: 603,
  /** The server does not know the function. */
  protoViolation: 621,
  /** What the query names is not in the database, or not yet. */
  notReady: 651,
  /** What the query waited for did not come. */
  timeout: 652,
  cancelled: 653,
} as const
