// `npm run bench` runs all benchmarks one after the other; `npm run bench -- decode` those with `decode` in
// the path; numbers after that are arguments: `npm run bench -- queues 5000000`.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { checkNode, installDependencies, ROOT } from './lib/prepare.mjs'

checkNode()
installDependencies({ dev: true })
const isNumber = (word) => /^\d+$/.test(word)
const wanted = process.argv.slice(2).filter((word) => !isNumber(word))
const args = process.argv.slice(2).filter(isNumber)
const files = ['packages', 'apps']
  .flatMap((root) => readdirSync(join(ROOT, root)).map((name) => join(root, name, 'bench')))
  .filter((folder) => existsSync(join(ROOT, folder)))
  .flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name)))
  .filter((file) => file.endsWith('.bench.ts') && wanted.every((part) => file.includes(part)))
if (files.length === 0) console.error(`no benchmark has ${wanted.join(' and ')} in its path`)

let failures = files.length === 0 ? 1 : 0
for (const file of files) {
  console.log(`\n# node ${['--import', 'tsx', file, ...args].join(' ')}`)
  const run = spawnSync(process.execPath, ['--import', 'tsx', file, ...args], { cwd: ROOT, stdio: 'inherit' })
  if (run.status !== 0) failures++
}
process.exitCode = failures === 0 ? 0 : 1
