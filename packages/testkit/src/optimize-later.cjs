// Loaded into the processes that tests start; see brief-processes.ts.
const { setFlagsFromString } = require('node:v8')
const { isMainThread } = require('node:worker_threads')

/** Of V8, which optimizes a function that has spent it. The default is 132 KB. */
const BUDGET = 600_000

// Threads have the flags of their process.
if (isMainThread) setFlagsFromString(`--interrupt-budget=${BUDGET}`)
