import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

const collect = runInNewContext('gc') as () => void

/** A full collection of this thread's garbage, which has ended when it returns. */
export function collectGarbage(): void {
  collect()
  // Another thread frees the memory of buffers; the next collection waits for it.
  collect()
}
