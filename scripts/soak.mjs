// `npm run soak -- --minutes 60`: all processes, under load and kills, for that long (default: 5); prints
// what they need every minute, and verdicts at the end. Exit code 1: one is bad. See docs/long-runs.md.
//   --seed N   of the kills and of the history that is removed
//   --keep     leaves the folder with database and log, as a bad verdict does
import { spawn } from 'node:child_process'
import { compiledCopy } from './lib/compiled-sources.mjs'
import { checkNode, installDependencies, ROOT } from './lib/prepare.mjs'

checkNode()
installDependencies({ dev: true })
const args = ['--import', 'tsx', 'scripts/soak/main.ts', ...process.argv.slice(2)]
const env = { ...process.env, COMPILED_COPY: await compiledCopy() }
const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.once('exit', (code) => process.exit(code ?? 1))
