import { INTERNAL_BODIES } from './internal-bodies.ts'
import { LATER_INTERNAL_BODIES } from './later-internal-bodies.ts'
import { EXTERNAL_BODIES, FORWARD_PAYLOADS } from './other-bodies.ts'

/**
 * Constructors of message bodies, one a line: tag, name and fields. Tags are 32-bit opcodes in hex;
 * `tag/bits` has another width, `-/0` none. Groups are consulted in this order, and lines in order inside a
 * group: the first line with an opcode names it. Notation: ./README.md. Names are those of the indexed API
 * (misspelt ones included): clients match on them.
 */
export const BODIES: string = INTERNAL_BODIES + LATER_INTERNAL_BODIES + EXTERNAL_BODIES + FORWARD_PAYLOADS
