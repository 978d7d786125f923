#!/usr/bin/env node
// Command line: `shardwalk <command>`; `shardwalk help` lists the commands.
import { loadProgram } from './lib/prepare.mjs'

const { main } = await loadProgram()
// Exit at once: after a second signal children may still be running; they end with this process.
process.exit(await main(process.argv.slice(2)))
