import { BODIES } from '../bodies/schema/bodies.ts'
import { FORWARD_PAYLOADS } from '../bodies/schema/other-bodies.ts'
import { UNPRINTED_BODIES } from '../bodies/schema/unprinted.ts'

/** The first 32-bit tag of each name. */
function tagsByName(table: string): ReadonlyMap<string, number> {
  const tags = new Map<string, number>()
  for (const [, tag, name] of table.matchAll(/^([0-9a-f]{8}) ([^ {]+)\{/gm))
    if (!tags.has(name!)) tags.set(name!, Number.parseInt(tag!, 16))
  return tags
}

const BODY_TAGS = tagsByName(BODIES + UNPRINTED_BODIES)
const PAYLOAD_TAGS = tagsByName(FORWARD_PAYLOADS)

/**
 * Opcode of a body laid out in `bodies/schema`, so that the number is written only there. Throws TypeError
 * for an unknown name.
 */
export const opcode = (name: string): number => tagOf(BODY_TAGS, name)

/** Same for a forward payload that shares its name with a body. */
export const payloadOpcode = (name: string): number => tagOf(PAYLOAD_TAGS, name)

function tagOf(tags: ReadonlyMap<string, number>, name: string): number {
  const tag = tags.get(name)
  if (tag === undefined) throw new TypeError(`no body ${name} is laid out`)
  return tag
}
