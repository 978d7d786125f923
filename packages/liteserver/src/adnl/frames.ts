import { sha256 } from '@shardwalk/adnl'

/** Nonce and checksum, 32 bytes each. */
const OVERHEAD = 64
/** A longer frame means a corrupt stream; the connection is dropped. */
export const MAX_FRAME = 1 << 24
/** Bytes of the longest payload that a frame can have. */
export const MAX_PAYLOAD = MAX_FRAME - OVERHEAD

/** The stream is corrupt; nothing after this can be read. */
export class BadFrame extends Error {}

/** Builds a frame before encryption: length, nonce, payload, SHA-256(nonce, payload). */
export function buildFrame(payload: Buffer, nonce: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(4 + OVERHEAD + payload.length)
  frame.writeUInt32LE(OVERHEAD + payload.length, 0)
  nonce.copy(frame, 4)
  payload.copy(frame, 36)
  sha256(frame.subarray(4, 36 + payload.length)).copy(frame, 36 + payload.length)
  return frame
}

/**
 * Splits decrypted chunks into frames. Chunks are kept in a list and joined once per frame: a large answer
 * arrives in hundreds of segments, and joining at each would copy it hundreds of times.
 */
export class FrameReader {
  private chunks: Buffer[] = []
  private size = 0
  private frameLength: number | undefined;

  /**
   * Yields the payloads completed by this chunk, in order, as views of the received bytes. Throws `BadFrame`.
   */
  *push(chunk: Buffer): Generator<Buffer> {
    this.chunks.push(chunk)
    this.size += chunk.length
    for (;;) {
      this.frameLength ??= this.readLength()
      if (this.frameLength === undefined || this.size < this.frameLength) return
      const frame = this.take(this.frameLength)
      this.frameLength = undefined
      yield checkedPayload(frame)
    }
  }

  private readLength(): number | undefined {
    if (this.size < 4) return undefined
    const length = this.take(4).readUInt32LE(0)
    if (length < OVERHEAD || length > MAX_FRAME) throw new BadFrame(`frame of ${length} bytes`)
    return length
  }

  private take(length: number): Buffer {
    this.size -= length
    const first = this.chunks[0]!
    if (first.length >= length) {
      if (first.length === length) this.chunks.shift()
      else this.chunks[0] = first.subarray(length)
      return first.subarray(0, length)
    }
    const all = Buffer.concat(this.chunks)
    this.chunks = all.length > length ? [all.subarray(length)] : []
    return all.subarray(0, length)
  }
}

function checkedPayload(frame: Buffer): Buffer {
  const end = frame.length - 32
  if (!sha256(frame.subarray(0, end)).equals(frame.subarray(end)))
    throw new BadFrame('checksum does not match')
  return frame.subarray(32, end)
}
