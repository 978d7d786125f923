// `npm run tarball [-- <folder>]`: makes a tarball for `npm install -g` and `npx`, with compiled code, what
// starts it and the sample chain. Prints its path.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { compile } from './lib/compile.mjs'
import { ROOT } from './lib/prepare.mjs'

const FILES = [
  'scripts/shardwalk.mjs',
  'scripts/lib/first-process.mjs',
  'scripts/lib/prepare.mjs',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
]
const SAMPLE = 'fixtures/chain'
/** For tests, or other forms of the same chain. */
const NOT_OF_SAMPLE = /facts|scenario|liteserver-answers|node-archive/

const target = resolve(process.argv[2] ?? '.')
const folder = mkdtempSync(join(tmpdir(), 'shardwalk-pack-'))
await compile(join(folder, 'dist'))
for (const file of FILES) cpSync(join(ROOT, file), join(folder, file))
cpSync(join(ROOT, SAMPLE), join(folder, SAMPLE), {
  recursive: true,
  filter: (path) => !NOT_OF_SAMPLE.test(path.slice(ROOT.length)),
})
writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest(), undefined, 2))
mkdirSync(target, { recursive: true })
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
const packed = spawnSync(npm, ['pack', '--silent', '--ignore-scripts', '--pack-destination', target], {
  cwd: folder,
  encoding: 'utf8',
  shell: npm.endsWith('.cmd'),
})
rmSync(folder, { recursive: true, force: true })
if (packed.status !== 0) throw new Error(`npm pack: ${packed.stderr}`)
console.log(join(target, packed.stdout.trim()))

/** Dependencies of all parts, in the versions that were tested. */
function manifest() {
  const { name, version, description, license, type, bin, engines } = readJson('package.json')
  const locked = readJson('package-lock.json').packages
  const dependencies = {}
  for (const workspace of ['apps', 'packages'].flatMap((root) =>
    readdirSync(join(ROOT, root)).map((part) => `${root}/${part}`),
  )) {
    // The client is for other programs.
    if (/testkit|client$/.test(workspace)) continue
    for (const one of Object.keys(readJson(workspace, 'package.json').dependencies ?? {}))
      if (!one.startsWith('@shardwalk/'))
        dependencies[one] = (
          locked[`${workspace}/node_modules/${one}`] ?? locked[`node_modules/${one}`]
        ).version
  }
  return { name, version, description, license, type, bin, engines, dependencies }
}

function readJson(...path) {
  return JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'))
}
