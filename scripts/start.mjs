// `npm start`: installs what is missing, then runs everything in one command.
import { loadProgram } from './lib/prepare.mjs'

const { main } = await loadProgram()
// Exit at once: after a second signal children may still be running; they end with this process.
process.exit(await main(['start', ...process.argv.slice(2)]))
