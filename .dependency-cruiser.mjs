// What may import what. Run by `npm run layers`; docs/architecture.md draws the same picture.
// Circles between files are found by Biome (`noImportCycles`), unused files, exports and dependencies by
// knip.
import { readdirSync, readFileSync } from 'node:fs'

/** What decodes a block. */
const CHAIN = ['model', 'cells', 'tlb', 'blocks']

/** Packages in layers: a package may import those named beside it and nothing else of ours. */
const LAYERS = {
  // L0: nouns, errors.
  model: [],
  // L1: bytes and cells; tables.
  cells: ['model'],
  tables: ['model'],
  raptorq: ['model'],
  tl: ['model'],
  tlb: ['model', 'cells'],
  // L2: what the chain means; no input or output.
  adnl: ['model', 'tl'],
  rldp: ['model', 'raptorq', 'tl', 'adnl'],
  dht: ['model', 'tl', 'adnl'],
  overlay: ['model', 'raptorq', 'tl', 'adnl'],
  'full-node': ['model', 'cells', 'tl'],
  blocks: ['model', 'cells', 'tlb', 'contracts'],
  proofs: ['model', 'cells', 'tl', 'tlb', 'blocks'],
  contracts: ['model', 'cells', 'tlb'],
  traces: ['model', 'cells', 'tlb', 'blocks'],
  actions: ['model', 'cells', 'tlb', 'contracts', 'traces'],
  pipeline: ['model', 'cells', 'tlb', 'blocks'],
  'api-schema': ['model', 'cells', 'tlb', 'tables', 'contracts'],
  streaming: ['model', 'actions', 'api-schema'],
  // L3: servers, databases, threads.
  settings: ['cells', 'model'],
  observability: ['model'],
  concurrency: ['model'],
  'embedded-postgres': ['model', 'concurrency'],
  liteserver: [...CHAIN, 'tl', 'adnl', 'proofs', 'concurrency', 'observability'],
  networks: ['model', 'liteserver', 'concurrency', 'observability'],
  p2p: [
    'model',
    'tl',
    'adnl',
    'raptorq',
    'rldp',
    'dht',
    'overlay',
    'full-node',
    'concurrency',
    'observability',
  ],
  sources: [
    ...CHAIN,
    ...['tl', 'dht', 'full-node', 'p2p', 'proofs', 'pipeline', 'liteserver', 'concurrency', 'observability'],
  ],
  replay: [
    ...CHAIN,
    'tl',
    'adnl',
    'dht',
    'full-node',
    'overlay',
    'p2p',
    'proofs',
    'pipeline',
    'liteserver',
    'sources',
    'tvm',
    'concurrency',
    'observability',
  ],
  db: [
    ...CHAIN,
    ...['tables', 'pipeline', 'traces', 'actions', 'contracts', 'settings', 'concurrency', 'observability'],
  ],
  queries: ['model', 'cells', 'tlb', 'contracts', 'traces', 'actions', 'db', 'observability'],
  queue: ['model', 'settings', 'concurrency', 'observability'],
  metadata: ['model', 'contracts', 'concurrency', 'observability'],
  webhooks: [
    ...['model', 'actions', 'api-schema', 'streaming', 'db', 'queries', 'replies', 'metadata'],
    ...['concurrency', 'observability'],
  ],
  tvm: ['model', 'cells', 'tlb', 'contracts', 'concurrency', 'observability'],
  'node-access': [
    ...CHAIN,
    'api-schema',
    'tl',
    'proofs',
    'contracts',
    'db',
    'queries',
    'liteserver',
    'tvm',
    'concurrency',
    'observability',
  ],
  emulation: [
    ...['model', 'cells', 'tlb', 'contracts', 'actions', 'api-schema', 'tvm', 'node-access'],
    ...['concurrency', 'observability'],
  ],
  pending: [
    ...['model', 'cells', 'tlb', 'contracts', 'actions', 'db', 'queries', 'node-access', 'emulation'],
    ...['blocks', 'concurrency', 'observability'],
  ],
  replies: [
    ...['model', 'cells', 'tlb', 'contracts', 'actions', 'api-schema', 'streaming', 'db', 'queries'],
    ...['emulation', 'pending', 'metadata', 'concurrency'],
  ],
  'live-events': [
    ...['model', 'contracts', 'api-schema', 'streaming', 'db', 'queries', 'node-access', 'pending'],
    ...['replies', 'concurrency', 'observability'],
  ],
  'contract-indexer': [
    ...CHAIN,
    'proofs',
    'contracts',
    'pipeline',
    'db',
    'liteserver',
    'tvm',
    'concurrency',
    'observability',
  ],
  exports: ['model', 'concurrency', 'db'],
  client: ['model', 'api-schema'],
  pages: ['model', 'tables', 'api-schema', 'contracts'],
  indexing: ['model', 'blocks', 'pipeline', 'db', 'concurrency', 'observability'],
  'chain-prover': ['model', 'tl', 'proofs', 'pipeline', 'db', 'liteserver', 'concurrency', 'observability'],
}

/** Folders of packages/db, each of which imports only from those before it. */
const DB_FOLDERS = [
  'migrations',
  'rows',
  'writing',
  'webhooks',
  'queries',
  'facts',
  'contracts',
  'actions',
  'traces',
  'watch',
  'sink',
  'hash-filters',
  'archive',
  'trust',
  'retention',
  'analytics',
]

const DOMAIN = [
  'model',
  'tables',
  'cells',
  'raptorq',
  'tl',
  'tlb',
  'adnl',
  'rldp',
  'dht',
  'overlay',
  'full-node',
  'blocks',
  'proofs',
  'contracts',
  'traces',
  'actions',
  'pipeline',
  'api-schema',
  'pages',
  'streaming',
]
const INPUT_OUTPUT = [
  String.raw`^(fs|net|http|https|dns|dgram|child_process|worker_threads)(/|$)`,
  'node_modules/(pg|kysely|ioredis|bullmq|express|winston|@ton/ton)/',
].join('|')
const TESTS = String.raw`\.(test|bench)\.ts$|/(test|bench)/|^packages/testkit/|^scripts/soak/`

const either = (names) => `(${names.join('|')})`
const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

const layers = Object.entries(LAYERS).map(([name, uses]) =>
  forbid(
    `layer-${name}`,
    `packages/${name} may import ${uses.join(', ') || 'no other package'}`,
    { path: `^packages/${name}/`, pathNot: TESTS },
    { path: '^packages/', pathNot: `^packages/${either([name, ...uses])}/` },
  ),
)

/** The resolver follows workspace links, so declarations of our own packages are compared here. */
const declarations = ['packages', 'apps'].flatMap((root) =>
  readdirSync(root).map((name) => {
    const manifest = JSON.parse(readFileSync(`${root}/${name}/package.json`, 'utf8'))
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
    const own = declared
      .filter((used) => used.startsWith('@shardwalk/'))
      .map((used) => used.slice('@shardwalk/'.length))
    return forbid(
      `declared-by-${root}-${name}`,
      `${root}/${name}/package.json must name what its files import`,
      { path: `^${root}/${name}/` },
      { path: '^packages/', pathNot: `^${root}/${name}/|^packages/${either(['-', ...own])}/` },
    )
  }),
)

const folders = DB_FOLDERS.map((folder, index) =>
  forbid(
    `db-${folder}`,
    'folders of packages/db import downwards, see its README',
    { path: `^packages/db/src/${folder}/`, pathNot: TESTS },
    { path: `^packages/db/src/${either(['-', ...DB_FOLDERS.slice(index + 1)])}/` },
  ),
)

export default {
  forbidden: [
    ...layers,
    ...declarations,
    ...folders,
    forbid(
      'layer-missing',
      'every package has its place in LAYERS',
      { path: '^packages/', pathNot: `^packages/${either([...Object.keys(LAYERS), 'testkit'])}/` },
      { path: '.' },
    ),
    forbid(
      'no-app',
      'nothing imports an app but itself',
      { path: '^(packages|apps/([^/]+))/' },
      { path: '^apps/', pathNot: '^apps/$2/' },
    ),
    forbid('tests-only', 'testkit is for tests', { pathNot: TESTS }, { path: '^packages/testkit/' }),
    forbid(
      'domain-io',
      'packages that say what the chain means do no input or output',
      { path: `^packages/${either(DOMAIN)}/src/`, pathNot: TESTS },
      { path: INPUT_OUTPUT },
    ),
    forbid(
      'sql-in-app',
      'apps are wiring: SQL belongs to packages/queries or packages/db',
      { path: '^apps/', pathNot: TESTS },
      { path: 'node_modules/(kysely|pg)/' },
    ),
    forbid(
      'undeclared',
      'the nearest package.json must name it',
      { path: '^(packages|apps)/', pathNot: TESTS },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    forbid(
      'test-dependencies',
      'not needed by what runs',
      { path: '^(packages|apps)/', pathNot: TESTS },
      { dependencyTypes: ['npm-dev'] },
    ),
    forbid('unresolvable', 'the import leads nowhere', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The parser fails on them; a test of packages/pages reads their imports.
    exclude: { path: String.raw`\.tsx$` },
    parser: 'swc',
    tsPreCompilationDeps: true,
    moduleSystems: ['es6'],
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
}
