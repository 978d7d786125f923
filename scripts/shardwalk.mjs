#!/usr/bin/env node
// Command line: `shardwalk <command>`; `shardwalk help` lists the commands.
import { prepare } from './lib/prepare.mjs'

await prepare()
const { main } = await import('../apps/ops/src/main.ts')
process.exitCode = await main(process.argv.slice(2))
