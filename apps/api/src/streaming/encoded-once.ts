import type { Frame } from '@shardwalk/streaming'

/** The bytes of frames as `toText` writes them, encoded once for all connections that get the same frame. */
export function encodedOnce(toText: (frame: Frame) => string): (frame: Frame) => Buffer {
  const encoded = new WeakMap<Frame, Buffer>()
  return (frame) => {
    const bytes = encoded.get(frame) ?? Buffer.from(toText(frame))
    encoded.set(frame, bytes)
    return bytes
  }
}
