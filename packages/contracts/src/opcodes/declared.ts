import { BODIES } from '../bodies/schema/bodies.ts'
import { FORWARD_PAYLOADS } from '../bodies/schema/other-bodies.ts'

/** The first tag of 32 bits under each name. */
function tagsByName(table: string): ReadonlyMap<string, number> {
  const tags = new Map<string, number>()
  for (const [, tag, name] of table.matchAll(/^([0-9a-f]{8}) ([^ {]+)\{/gm))
    if (!tags.has(name!)) tags.set(name!, Number.parseInt(tag!, 16))
  return tags
}

const BODY_TAGS = tagsByName(BODIES)
const PAYLOAD_TAGS = tagsByName(FORWARD_PAYLOADS)

/**
 * Opcode of a body that the tables in `bodies/schema` lay out: the tag stands there and nowhere else.
 * Throws TypeError for a name that they do not have.
 */
export const opcode = (name: string): number => tagOf(BODY_TAGS, name)

/** The same for a forward payload that shares its name with a body. */
export const payloadOpcode = (name: string): number => tagOf(PAYLOAD_TAGS, name)

function tagOf(tags: ReadonlyMap<string, number>, name: string): number {
  const tag = tags.get(name)
  if (tag === undefined) throw new TypeError(`no body ${name} is laid out`)
  return tag
}
