// Compares every import statement with the layers below. Run by `npm run layers`.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

const LAYERS = {
  model: { layer: 0, uses: [] },
  cells: { layer: 1, uses: ['model'] },
  tl: { layer: 1, uses: ['model'] },
  tlb: { layer: 1, uses: ['model', 'cells'] },
  blocks: { layer: 2, uses: ['model', 'cells', 'tlb'] },
  proofs: { layer: 2, uses: ['model', 'cells', 'tl', 'tlb', 'blocks'] },
  contracts: { layer: 2, uses: ['model', 'cells', 'tlb'] },
  traces: { layer: 2, uses: ['model', 'cells', 'tlb', 'blocks'] },
  actions: { layer: 2, uses: ['model', 'cells', 'tlb', 'contracts', 'traces'] },
  pipeline: { layer: 2, uses: ['model', 'cells', 'tlb', 'blocks'] },
  'api-schema': { layer: 2, uses: ['model', 'cells', 'tlb', 'contracts'] },
  observability: { layer: 3, uses: [] },
  'embedded-postgres': { layer: 3, uses: ['model'] },
  concurrency: { layer: 3, uses: ['model'] },
  settings: { layer: 3, uses: [] },
  liteserver: { layer: 3, uses: ['model', 'cells', 'tl', 'tlb', 'blocks', 'proofs', 'observability'] },
  sources: {
    layer: 3,
    uses: [
      'model',
      'cells',
      'tl',
      'tlb',
      'blocks',
      'proofs',
      'pipeline',
      'liteserver',
      'concurrency',
      'observability',
    ],
  },
  replay: {
    layer: 3,
    uses: [
      'model',
      'cells',
      'tl',
      'tlb',
      'blocks',
      'proofs',
      'pipeline',
      'liteserver',
      'sources',
      'observability',
    ],
  },
  db: {
    layer: 3,
    uses: ['model', 'cells', 'tlb', 'blocks', 'pipeline', 'traces', 'actions', 'contracts', 'observability'],
  },
  queries: { layer: 3, uses: ['model', 'cells', 'contracts', 'db'] },
  queue: { layer: 3, uses: ['model', 'concurrency', 'observability'] },
  metadata: { layer: 3, uses: ['model', 'contracts', 'observability'] },
  'node-access': {
    layer: 3,
    uses: [
      'model',
      'cells',
      'tl',
      'tlb',
      'blocks',
      'proofs',
      'contracts',
      'db',
      'liteserver',
      'observability',
      'queries',
      'tvm',
    ],
  },
  'contract-indexer': {
    layer: 3,
    uses: [
      'model',
      'cells',
      'tlb',
      'blocks',
      'proofs',
      'contracts',
      'pipeline',
      'liteserver',
      'db',
      'tvm',
      'concurrency',
      'observability',
    ],
  },
  'chain-prover': {
    layer: 3,
    uses: ['model', 'tl', 'proofs', 'pipeline', 'liteserver', 'db', 'concurrency', 'observability'],
  },
  tvm: { layer: 3, uses: ['model', 'cells', 'tlb', 'contracts', 'observability'] },
}
const IO_LIBRARIES =
  /^(node:(fs|net|http|https|dns|child_process|worker_threads)|pg|kysely|ioredis|bullmq|express|winston|@ton\/ton)(\/|$)/
const TEST_FILE = /(\.test\.ts|\.bench\.ts)$|\/(test|bench)\//

const problems = []
for (const root of ['packages', 'apps']) for (const file of walk(root)) check(file)
for (const problem of problems) console.error(problem)
console.log(
  `layers: ${problems.length === 0 ? 'every import points down' : `${problems.length} imports point the wrong way`}`,
)
process.exit(problems.length === 0 ? 0 : 1)

function* walk(dir) {
  for (const name of readdirSync(dir)) {
    if (name === 'node_modules' || name === 'dist') continue
    const path = join(dir, name)
    if (statSync(path).isDirectory()) yield* walk(path)
    else if (path.endsWith('.ts')) yield path
  }
}

function check(file) {
  const [root, name] = relative('.', file).split('/')
  const source = readFileSync(file, 'utf8')
  const test = TEST_FILE.test(file) || name === 'testkit'
  const domain = root === 'packages' && LAYERS[name] && LAYERS[name].layer <= 2
  if (root === 'packages' && name !== 'testkit' && !LAYERS[name])
    problems.push(`${file}: package ${name} has no layer`)
  for (const [, specifier] of source.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
    const own = /^@shardwalk\/([a-z-]+)/.exec(specifier)?.[1]
    if (own?.startsWith('app-')) problems.push(`${file}: imports an app (${specifier})`)
    else if (own === 'testkit' && !test) problems.push(`${file}: testkit is for tests only`)
    else if (own && !test && root === 'packages' && own !== name && !LAYERS[name]?.uses.includes(own))
      problems.push(`${file}: ${name} may not import ${own}`)
    if (domain && !test && IO_LIBRARIES.test(specifier))
      problems.push(`${file}: domain package imports ${specifier}`)
    if (/^\.\.\/\.\.\/(\.\.\/)*(packages|apps)\//.test(specifier))
      problems.push(`${file}: reaches into another package by path (${specifier})`)
  }
  if (domain && !test && /\bprocess\.env\b|\bDate\.now\(|\bMath\.random\(/.test(source))
    problems.push(`${file}: domain package reads environment, clock or randomness`)
}
