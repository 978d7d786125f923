import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { Busboy } from '@fastify/busboy'
import { InvalidQuery, shown } from '@shardwalk/api-schema'

/** Those of `/decode`, and one to see that there are more. */
const MAX_FIELDS = 2_001
const LIMITS = { fields: MAX_FIELDS, files: 0, fieldNameSize: 100 }
/** Bytes that are parsed at a time. */
const SLICE = 16_384

/**
 * The fields of a form (RFC 7578) as a JSON object of lists of texts, by lower-case name. Files are left out,
 * as in TON Center. Throws `InvalidQuery`.
 */
export async function multipartAsJson(bytes: Uint8Array, contentType: string): Promise<Uint8Array> {
  const members = new Map<string, string[]>()
  try {
    const limits = { ...LIMITS, fieldSize: bytes.length }
    const parser = new Busboy({ headers: { 'content-type': contentType }, limits })
    parser.on('field', (name, value) => {
      const values = members.get(name.toLowerCase())
      if (values) values.push(value)
      else members.set(name.toLowerCase(), [value])
    })
    parser.on('fieldsLimit', () => parser.destroy(new Error(`more than ${MAX_FIELDS} fields`)))
    await pipeline(Readable.from(slicesOf(bytes)), parser)
  } catch (error) {
    throw new InvalidQuery(`multipart: ${shown((error as Error).message)}`)
  }
  return Buffer.from(JSON.stringify(Object.fromEntries(members)))
}

async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += SLICE) {
    yield bytes.subarray(at, at + SLICE)
    await setImmediate()
  }
}
