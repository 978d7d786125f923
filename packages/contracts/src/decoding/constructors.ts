import { BODIES } from '../bodies/schema/bodies.ts'
import { type Constructor, parseBodyLine } from '../bodies/schema/grammar.ts'
import { FORWARD_PAYLOADS } from '../bodies/schema/other-bodies.ts'
import { TYPES } from '../bodies/schema/types.ts'
import { DATA_LAYOUTS, UNPRINTED_BODIES } from '../bodies/schema/unprinted.ts'
import { tableRows } from '../table-rows.ts'
import { type BodyReader, TypeTable } from './compile.ts'

/** Types of the schema. */
export const types = new TypeTable(tableRows(TYPES))

const constructors = tableRows(BODIES).map(parseBodyLine)

/**
 * Maps a tag value to the name of the first constructor that has it. The width of the tag is ignored, as in
 * the indexed API.
 */
const names = new Map<number, string>()
const readers = new Map<number, readonly BodyReader[]>()

for (const declared of constructors) {
  const { tag, name } = declared
  if (tag.bits === 0) continue
  if (!names.has(tag.value)) names.set(tag.value, name)
  if (tag.bits === 32) readers.set(tag.value, [...(readers.get(tag.value) ?? []), types.body(declared)])
}

/** Number of constructors in the tables. */
export const CONSTRUCTOR_COUNT = constructors.length

/** All opcodes that have a name, with that name. */
export const namedOpcodes = (): IterableIterator<[number, string]> => names.entries()

/**
 * Name of a message body's operation, or null for an unknown opcode. `opcode`: first 32 bits of the body,
 * unsigned or signed. A name does not guarantee that the body has the operation's layout.
 */
export const opcodeName = (opcode: number): string | null => names.get(opcode >>> 0) ?? null

/** Layouts with this 32-bit tag, in the order in which they are tried. */
export const bodyReaders = (opcode: number): readonly BodyReader[] => readers.get(opcode) ?? []

/** The first constructor under each name. */
function firstByName(declared: readonly Constructor[]): (name: string) => Constructor {
  const byName = new Map([...declared].reverse().map((one) => [one.name, one]))
  return (name) => {
    const found = byName.get(name)
    if (!found) throw new TypeError(`${name} is not laid out`)
    return found
  }
}

/** Layouts of bodies, forward payloads and contract data. Each throws TypeError for an unknown name. */
export const bodyNamed = firstByName([...constructors, ...tableRows(UNPRINTED_BODIES).map(parseBodyLine)])
/** Layout of a forward payload by its name. */
export const payloadNamed = firstByName(tableRows(FORWARD_PAYLOADS).map(parseBodyLine))
/** Layout of a contract's data by its name. */
export const dataNamed = firstByName(tableRows(DATA_LAYOUTS).map(parseBodyLine))
