import { fileURLToPath } from 'node:url'
import { isLong } from './runs.ts'

/**
 * Most processes that tests start live for seconds: a sixth of their time went into the optimization of code
 * that ran for too short to repay it. Loaded before every test file; long tests start processes as they are.
 */
const options = ['optimize-later.cjs', 'small-servers.cjs']
  .map((name) => `--require ${JSON.stringify(fileURLToPath(new URL(name, import.meta.url)))}`)
  .join(' ')
const given = process.env['NODE_OPTIONS'] ?? ''
if (!isLong && !given.includes(options)) process.env['NODE_OPTIONS'] = `${given} ${options}`.trim()
