#!/usr/bin/env node
// Command line: `shardwalk <command>`; `shardwalk help` lists the commands.
import { prepare } from './lib/prepare.mjs'

await prepare()
const { main } = await import('../apps/ops/src/main.ts')
// Exit at once: after a second signal children may still be running; they end with this process.
process.exit(await main(process.argv.slice(2)))
