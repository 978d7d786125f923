import { BODIES } from '../bodies/schema/bodies.ts'
import { parseBodyLine, parseTypeLine } from '../bodies/schema/grammar.ts'
import { TYPES } from '../bodies/schema/types.ts'
import { type BodyReader, TypeTable } from './compile.ts'

const lines = (table: string): string[] =>
  table.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

/** Types of the schema, compiled on first use. */
export const types = new TypeTable(lines(TYPES).map(parseTypeLine))

const constructors = lines(BODIES).map(parseBodyLine)

/**
 * Tag value to the name of the first constructor that has it; the width of the tag plays no part (as in the
 * indexed API).
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

/** Every opcode that has a name. */
export const namedOpcodes = (): IterableIterator<[number, string]> => names.entries()

/**
 * Name of a message body's operation. `opcode`: first 32 bits of the body, unsigned or signed. Null when the
 * opcode is unknown. A name does not promise that the body has the operation's layout.
 */
export const opcodeName = (opcode: number): string | null => names.get(opcode >>> 0) ?? null

/** Layouts with this 32-bit tag in the order in which they are tried. */
export const bodyReaders = (opcode: number): readonly BodyReader[] => readers.get(opcode) ?? []
