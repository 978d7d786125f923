import { INTERNAL_BODIES } from './internal-bodies.ts'
import { LATER_INTERNAL_BODIES } from './later-internal-bodies.ts'
import { EXTERNAL_BODIES, FORWARD_PAYLOADS } from './other-bodies.ts'

/**
 * Constructors of message bodies, one per row: tag, name and fields; an indented line continues its row. A
 * tag is a 32-bit opcode in hex; `tag/bits` has another width and `-/0` means no tag. When several rows share
 * an opcode, the first one gives the name; groups are searched in this order. Names are those of the indexed
 * API, misspellings included, because clients match on them. Notation: ./README.md.
 */
export const BODIES: string = INTERNAL_BODIES + LATER_INTERNAL_BODIES + EXTERNAL_BODIES + FORWARD_PAYLOADS
