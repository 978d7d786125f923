import { constants } from 'node:zlib'

/** Shorter replies are sent as they are. Bytes. */
export const COMPRESSED_FROM = 1024
/** Replies are as small as with gzip, in less time. */
export const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
