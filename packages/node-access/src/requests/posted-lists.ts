import { InvalidQuery, parseQueryString, shown } from '@shardwalk/api-schema'
import { XMLParser } from 'fast-xml-parser'

/** Forms in which a body may be posted. */
export const BODY_TYPES = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
  'application/xml': 'xml',
  'text/xml': 'xml',
} as const
export type BodyType = (typeof BODY_TYPES)[keyof typeof BODY_TYPES]

/** Members by lower-case name, or of JSON by the name given; each a value or a list of values. */
type Members = Readonly<Record<string, unknown>>

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Reads a posted object of lists. Throws `InvalidQuery`. */
export function readMembers(bytes: Uint8Array, type: BodyType): Members {
  if (bytes.length === 0) return {}
  const value = READERS[type](textOf(bytes))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidQuery('Unprocessable Entity')
  return value as Members
}

function textOf(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw new InvalidQuery('the body is not UTF-8')
  }
}

const READERS: Readonly<Record<BodyType, (text: string) => unknown>> = {
  json(text) {
    try {
      return JSON.parse(text)
    } catch (error) {
      throw new InvalidQuery(shown((error as Error).message))
    }
  },
  form: (text) => lowerCase([...parseQueryString(text)]),
  /** A root of any name, and in it an element for each value: `<Opcodes>0x1</Opcodes>`. */
  xml(text) {
    // Types and entities that a document declares are never looked up.
    if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new InvalidQuery('XML: document types are not accepted')
    const [root, ...others] = Object.values(parseXml(text))
    if (root === undefined || others.length > 0) throw new InvalidQuery('XML: one root element is expected')
    return lowerCase(root === '' ? [] : Object.entries(root as object))
  },
}

const XML = new XMLParser({
  parseTagValue: false,
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  processEntities: false,
  isArray: (_name, path) => String(path).split('.').length === 2,
})

function parseXml(text: string): Members {
  try {
    return XML.parse(text, true) as Members
  } catch (error) {
    throw new InvalidQuery(`XML: ${shown((error as Error).message)}`)
  }
}

const lowerCase = (members: readonly (readonly [string, unknown])[]): Members =>
  Object.fromEntries(members.map(([name, value]) => [name.toLowerCase(), value]))
