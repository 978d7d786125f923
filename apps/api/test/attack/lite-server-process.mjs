// Serves the recorded chain in the folder that is its argument as a lite server and sends its global config
// to the parent process. Tests have compiled sources (see vitest.config.ts), which start sooner.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

process.once('disconnect', () => process.exit())
const copy = process.env.COMPILED_COPY
if (!copy) (await import('tsx/esm/api')).register()
const compiled = copy && pathToFileURL(join(copy, 'parts/packages/replay/src/index.js')).href
const { startReplay } = await import(compiled ?? '@shardwalk/replay')
const { globalConfig } = await startReplay({ recording: process.argv[2] })
process.send(globalConfig)
