// `npm start`: installs what is missing, then runs everything in one command.
import { prepare } from './lib/prepare.mjs'

await prepare()
const { main } = await import('../apps/ops/src/main.ts')
process.exitCode = await main(['start', ...process.argv.slice(2)])
