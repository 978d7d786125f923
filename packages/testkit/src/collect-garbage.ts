import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** A full collection of this thread's garbage, which has ended when it returns. */
export const collectGarbage = runInNewContext('gc') as () => void
