import { TlProblem, TlWriter } from './bytes.ts'
import { decodeWhole, hex } from './codec.ts'

const QUERY = 0x798c06df
const QUERY_PREFIX = 0x72d3e686
const WAIT_MASTERCHAIN_SEQNO = 0xbaeab892

/**
 * Delays the function until the server has applied masterchain block `seqno` with its shards. On timeout (10
 * s at most) the answer is error 652.
 */
export interface WaitPrefix {
  readonly seqno: number
  readonly timeoutMs: number
}

/** A query without its outer envelope `liteServer.query`. */
export interface LiteQuery {
  /** At most one is used by servers. */
  readonly wait?: WaitPrefix
  /** The serialised function, for `decodeFunction`. */
  readonly functionBytes: Buffer
}

/** Wraps a serialised function in `liteServer.query`, as contained in `adnl.message.query`. */
export function encodeQuery(functionBytes: Buffer, wait?: WaitPrefix): Buffer {
  const writer = new TlWriter(functionBytes.length + 32)
  writer.uint32(QUERY)
  if (!wait) {
    writer.bytes(functionBytes)
    return writer.finish()
  }
  const inner = new TlWriter(functionBytes.length + 12)
  inner.uint32(WAIT_MASTERCHAIN_SEQNO)
  inner.uint32(wait.seqno)
  inner.int32(wait.timeoutMs)
  inner.raw(functionBytes)
  writer.bytes(inner.finish())
  return writer.finish()
}

/**
 * Removes `liteServer.query` or `liteServer.queryPrefix` and a wait prefix. Throws `DecodeError` for other
 * wrappers.
 */
export function decodeQuery(bytes: Buffer): LiteQuery {
  return decodeWhole('liteServer.query', bytes, (reader) => {
    const id = reader.uint32()
    if (id === QUERY) return withoutWait(reader.bytes())
    if (id === QUERY_PREFIX) return withoutWait(reader.rest())
    throw new TlProblem(`id ${hex(id)} wraps no query`)
  })
}

function withoutWait(bytes: Buffer): LiteQuery {
  if (bytes.length < 12 || bytes.readUInt32LE(0) !== WAIT_MASTERCHAIN_SEQNO) return { functionBytes: bytes }
  const wait = { seqno: bytes.readUInt32LE(4), timeoutMs: bytes.readInt32LE(8) }
  return { wait, functionBytes: bytes.subarray(12) }
}
