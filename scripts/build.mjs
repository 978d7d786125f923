// Compiles apps and packages to JavaScript in dist/, so that a start needs no compiler. Scripts run what is
// in dist/ if it exists: delete the folder to go back to the sources.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from './lib/compile.mjs'
import { ROOT } from './lib/prepare.mjs'

const OUT = join(ROOT, 'dist')
rmSync(OUT, { recursive: true, force: true })
const { sources, others } = await compile(OUT)
console.log(`dist: bundles of ${sources} sources, ${others} other files`)
