// `start` as a process of its own, for `demo`. Its settings are in the environment.
import './exit-with-parent.mjs'
import { start } from './commands/start.ts'
import { openContext, readProcessSettings } from './context.ts'

const { settings, given } = readProcessSettings()
process.exit(await start(openContext(settings, [], { networkGiven: true, creates: true, given })))
