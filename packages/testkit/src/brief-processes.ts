import { fileURLToPath } from 'node:url'
import { isLong } from './runs.ts'

/**
 * Most processes that tests start live for seconds: a sixth of their time went into the optimization of code
 * that ran for too short to repay it. Loaded before every test file; long tests start processes as they are.
 */
const preloaded = [
  new URL('optimize-later.cjs', import.meta.url),
  new URL('small-servers.cjs', import.meta.url),
]
const options = preloaded.map((url) => `--require ${JSON.stringify(fileURLToPath(url))}`).join(' ')
const given = process.env['NODE_OPTIONS'] ?? ''
if (!isLong && !given.includes(options)) process.env['NODE_OPTIONS'] = `${given} ${options}`.trim()
