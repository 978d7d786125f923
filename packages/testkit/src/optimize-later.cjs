// Loaded into the processes that run tests (see vitest.config.ts) and that tests start (brief-processes.ts).
const { setFlagsFromString } = require('node:v8')
const { isMainThread } = require('node:worker_threads')

/** Of V8, which optimizes a function that has spent it. The default is 132 KB. */
const BUDGET = 600_000

// Node.js 24 has a V8 without this flag. Threads have the flags of their process.
if (isMainThread && Number.parseInt(process.versions.v8, 10) < 13)
  setFlagsFromString(`--interrupt-budget=${BUDGET}`)
