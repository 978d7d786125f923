import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void

/** A full collection of this thread's garbage, which has ended when it returns. */
export function collectGarbage(): void {
  collect()
  // Another thread frees the memory of buffers; the next collection, of any kind, waits for it.
  collect({ type: 'minor' })
}

/** Bytes of the buffer that marks an object. */
const MARK_BYTES = 65_536
/** What survives the first becomes old with the second. */
const YOUNG_COLLECTIONS = 3

/**
 * How many of the objects that `work` marks survive young collections when it has ended, so that only a major
 * collection frees them. `work` drops them, and runs `times` times, few enough that V8 does not optimise it.
 */
export async function survivors(
  times: number,
  work: (mark: (object: object) => void) => Promise<unknown>,
): Promise<number> {
  const mark = (object: object) => Object.assign(object, { mark: new ArrayBuffer(MARK_BYTES) })
  collectGarbage()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < times; i++) await work(mark)
  await new Promise((resolve) => setImmediate(resolve))
  for (let i = 0; i < YOUNG_COLLECTIONS; i++) collect({ type: 'minor' })
  return Math.round((process.memoryUsage().arrayBuffers - before) / MARK_BYTES)
}
