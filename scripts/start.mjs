// `npm start`: installs what is missing, then runs everything in one command.
import { prepare } from './lib/prepare.mjs'

await prepare()
const { main } = await import('../apps/ops/src/main.ts')
// Exit at once: after a second signal children may still be running; they end with this process.
process.exit(await main(['start', ...process.argv.slice(2)]))
