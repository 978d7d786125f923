import type { Json } from '@shardwalk/api-schema'

/** After the name of a member. Quotes within texts are escaped, so what follows those is none. */
const LONG_INTEGER = /(?<!\\)(":)(-?\d{16,})(?=[,}])/g

/** A reply as values. Members that are integers a double may not hold become texts. */
export const parseReply = <T>(text: Json): T => JSON.parse(text.replace(LONG_INTEGER, '$1"$2"'))
