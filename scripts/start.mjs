// `npm start`: installs what is missing, then runs everything in one command.
import { prepare } from './lib/prepare.mjs'

await prepare()
const { main } = await import('../apps/ops/src/main.ts')
// At once: after a second signal children may still be running, and they end with this process.
process.exit(await main(['start', ...process.argv.slice(2)]))
