import { type BodySlice, NO_FIT } from './body-slice.ts'
import type { DecodeContext } from './context.ts'

/** Text as bytes of this cell, then of its first reference, and so on. Every cell holds whole bytes. */
export function readSnakeText(slice: BodySlice, context: DecodeContext): string {
  return context.text(Buffer.concat(snakeParts(slice, context)))
}

function snakeParts(start: BodySlice, context: DecodeContext): Buffer[] {
  const parts: Buffer[] = []
  let slice = start
  for (;;) {
    if (slice.bitsLeft % 8 !== 0) throw NO_FIT
    context.spend(1 + (slice.bitsLeft >> 6))
    parts.push(slice.bytes(slice.bitsLeft / 8))
    if (slice.refsLeft === 0) return parts
    slice = context.open(slice.ref())
  }
}
