import {
  decimal,
  hexBytes,
  integer,
  type Kind,
  list,
  liteservers,
  networks,
  oneOf,
  onOff,
  startPoint,
  text,
  url,
  urls,
} from './kinds.ts'

/** One setting. Everything that is known about it stands here and only here. */
export interface Setting<T> {
  /** Name in the environment and in `.env`. */
  readonly name: string
  readonly kind: Kind<T>
  /** Flag without dashes; absent: the setting cannot be given on the command line (secrets would show in `ps`). */
  readonly flag?: string
  /** Text that stands in when nothing is given, read by the same `kind`; absent: undefined. */
  readonly default?: string
  /** One sentence, present tense, with the unit. */
  readonly help: string
  /** What happens when nothing is given and there is no default. */
  readonly otherwise?: string
  /** Masked in logs; may also be given as `<NAME>_FILE`, the path of a file that holds it. */
  readonly secret?: boolean
  readonly example: string
}

const setting = <T>(definition: Setting<T>): Setting<T> => definition

/** A setting that has a default is never undefined. */
const required = <T>(definition: Setting<T> & { readonly default: string }) => ({
  ...definition,
  required: true as const,
})

export const GROUPS = {
  'Network and range': {
    network: required({
      name: 'NETWORK',
      flag: 'network',
      kind: text(
        "`mainnet`, `testnet`, `sample`, a path or URL of a global config, or the folder of a recorded chain or of a node's archive packages",
      ),
      default: 'mainnet',
      help: 'The network to index. `sample` is a recorded chain that needs no network at all.',
      example: 'mainnet',
    }),
    indexFrom: setting({
      name: 'INDEX_FROM',
      flag: 'from',
      kind: startPoint,
      help: 'The first masterchain block that is wanted.',
      otherwise: '`head` on live networks, `genesis` on `sample`, recorded chains and archives',
      example: 'head',
    }),
    backfill: required({
      name: 'BACKFILL',
      flag: 'backfill',
      kind: oneOf('oldest-first', 'newest-first', 'off'),
      default: 'oldest-first',
      help: 'The order in which missing blocks between `INDEX_FROM` and the head are indexed. `off` indexes nothing older than what is there, but still closes gaps.',
      example: 'newest-first',
    }),
    liteservers: setting({
      name: 'LITESERVERS',
      flag: 'liteservers',
      kind: liteservers,
      help: "Lite servers to use instead of the global config's list.",
      otherwise: "the global config's list",
      example: '127.0.0.1:4924:peJTw/arlRfssgTuf9BMypJzqOi7SXEqSPSWiEw2U1M=',
    }),
    replaySpeed: required({
      name: 'REPLAY_SPEED',
      flag: 'speed',
      kind: decimal(0, 100_000),
      default: '0',
      help: 'How fast the head of `sample` or a recorded chain moves, in masterchain blocks per second; 0 puts it at the end at once.',
      example: '10',
    }),
  },
  Storage: {
    databaseUrl: setting({
      name: 'DATABASE_URL',
      kind: url('postgres', 'postgresql'),
      secret: true,
      help: 'PostgreSQL to write to.',
      otherwise: 'an embedded PostgreSQL with its data in `DATA_DIR`',
      example: 'postgres://shardwalk:secret@localhost:5432/shardwalk',
    }),
    databaseReadUrl: setting({
      name: 'DATABASE_READ_URL',
      kind: url('postgres', 'postgresql'),
      secret: true,
      help: 'PostgreSQL that the API reads from, e.g. a replica.',
      otherwise: 'the same as `DATABASE_URL`',
      example: 'postgres://reader:secret@replica:5432/shardwalk',
    }),
    databasePoolSize: required({
      name: 'DATABASE_POOL_SIZE',
      flag: 'database-pool-size',
      kind: integer(2, 200),
      default: '10',
      help: 'Database connections per process.',
      example: '20',
    }),
    databaseWaitSeconds: required({
      name: 'DATABASE_WAIT_SECONDS',
      flag: 'database-wait-seconds',
      kind: integer(0, 3600),
      default: '60',
      help: 'How long a start waits for a `DATABASE_URL` that does not answer, in seconds; then the process ends with exit code 75.',
      example: '300',
    }),
    redisUrl: setting({
      name: 'REDIS_URL',
      kind: url('redis', 'rediss'),
      secret: true,
      help: 'Redis or Valkey for the queue. It may be lost at any moment: the queue is rebuilt from PostgreSQL.',
      otherwise: 'the queue lives in PostgreSQL',
      example: 'redis://localhost:6379',
    }),
    dataDir: required({
      name: 'DATA_DIR',
      flag: 'data-dir',
      kind: text('a folder'),
      default: './data',
      help: 'Folder of everything kept on disk: embedded PostgreSQL, cached global configs.',
      example: '/var/lib/shardwalk',
    }),
  },
  API: {
    apiHost: required({
      name: 'API_HOST',
      flag: 'api-host',
      kind: text('a host name or address'),
      default: '127.0.0.1',
      help: 'Address the API listens on.',
      example: '0.0.0.0',
    }),
    apiPort: required({
      name: 'API_PORT',
      flag: 'api-port',
      kind: integer(0, 65535),
      default: '8081',
      help: 'Port of the API; 0 takes a free one.',
      example: '8081',
    }),
    apiProfile: required({
      name: 'API_PROFILE',
      flag: 'api-profile',
      kind: oneOf('standard', 'toncenter'),
      default: 'standard',
      help: 'Replies to the letter of the interface description, or as clients of the live TON Center service receive them.',
      example: 'toncenter',
    }),
    anonymousRps: required({
      name: 'ANONYMOUS_RPS',
      flag: 'anonymous-rps',
      kind: decimal(0, 100_000),
      default: '1',
      help: 'Requests per second and client address without a key, once keys are configured; 0 refuses them.',
      example: '5',
    }),
    trustedProxies: required({
      name: 'TRUSTED_PROXIES',
      flag: 'trusted-proxies',
      kind: list('addresses or networks, separated by commas'),
      default: '',
      help: 'Proxies whose `X-Forwarded-For` is believed.',
      example: '127.0.0.1,10.0.0.0/8',
    }),
    exportMaxRows: required({
      name: 'EXPORT_MAX_ROWS',
      flag: 'export-max-rows',
      kind: integer(0, 1_000_000_000),
      default: '0',
      help: 'Most rows that one NDJSON or CSV export may hold; 0 switches exports off.',
      example: '1000000',
    }),
  },
  'Metadata of tokens': {
    metadataFetch: required({
      name: 'METADATA_FETCH',
      flag: 'metadata-fetch',
      kind: onOff,
      default: 'off',
      help: 'Fetch off-chain metadata of tokens; it talks to servers that contracts name.',
      example: 'on',
    }),
    metadataIpfsGateways: setting({
      name: 'METADATA_IPFS_GATEWAYS',
      flag: 'metadata-ipfs-gateways',
      kind: urls('http', 'https'),
      help: 'IPFS gateways in order of preference; their hosts may have private addresses.',
      otherwise: 'three public ones',
      example: 'https://ipfs.io/ipfs/,https://dweb.link/ipfs/',
    }),
    metadataDeniedNetworks: required({
      name: 'METADATA_DENIED_NETWORKS',
      flag: 'metadata-denied-networks',
      kind: networks,
      default: '',
      help: 'Networks that are never connected to, beside all that are not public: your own public ones.',
      example: '203.0.113.0/24,2001:db8::/32',
    }),
    metadataOverrides: setting({
      name: 'METADATA_OVERRIDES',
      flag: 'metadata-overrides',
      kind: text('the path of a JSON file'),
      help: 'Content that replaces what tokens say of themselves on the chain; read at the start (docs/metadata.md).',
      otherwise: 'nothing is replaced',
      example: '/etc/shardwalk/overrides.json',
    }),
    metadataConcurrency: required({
      name: 'METADATA_CONCURRENCY',
      flag: 'metadata-concurrency',
      kind: integer(1, 256),
      default: '32',
      help: 'Documents that one metadata process fetches at the same time.',
      example: '64',
    }),
    metadataAirdropMib: required({
      name: 'METADATA_AIRDROP_MIB',
      flag: 'metadata-airdrop-mib',
      kind: integer(0, 1024),
      default: '64',
      help: 'Largest list of owners of a mintless jetton that is imported, in MiB, some 18,000 owners each; 0: none.',
      example: '256',
    }),
    metadataPort: setting({
      name: 'METADATA_PORT',
      flag: 'metadata-port',
      kind: integer(0, 65535),
      help: 'Port of `/healthz`, `/readyz` and `/metrics` of the metadata process, on `API_HOST`.',
      otherwise: 'not served; `shardwalk status` shows its queue',
      example: '8083',
    }),
    imageProxyUrl: setting({
      name: 'IMAGE_PROXY_URL',
      flag: 'image-proxy-url',
      kind: url('http', 'https'),
      help: 'Public base URL of an imgproxy with presets `small`, `medium`, `big`; replies then carry links to images in three sizes.',
      otherwise: 'no such links',
      example: 'https://images.example.org',
    }),
    imageProxyKey: setting({
      name: 'IMAGE_PROXY_KEY',
      kind: hexBytes,
      secret: true,
      help: 'Key of the image proxy, as in its `IMGPROXY_KEY`.',
      otherwise: 'none; needed with `IMAGE_PROXY_URL`',
      example: '943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881',
    }),
    imageProxySalt: setting({
      name: 'IMAGE_PROXY_SALT',
      kind: hexBytes,
      secret: true,
      help: 'Salt of the image proxy, as in its `IMGPROXY_SALT`.',
      otherwise: 'none; needed with `IMAGE_PROXY_URL`',
      example: '520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5',
    }),
  },
  Actions: {
    actionsPort: setting({
      name: 'ACTIONS_PORT',
      flag: 'actions-port',
      kind: integer(0, 65535),
      help: 'Port of `/healthz`, `/readyz` and `/metrics` of the actions process, on `API_HOST`.',
      otherwise: 'not served; `shardwalk status` shows its queue',
      example: '8084',
    }),
  },
  Ingest: {
    decodeThreads: setting({
      name: 'DECODE_THREADS',
      flag: 'decode-threads',
      kind: integer(1, 64),
      help: 'Worker threads that decode blocks.',
      otherwise: 'one less than the processors, between 1 and 4',
      example: '4',
    }),
    tvmThreads: setting({
      name: 'TVM_THREADS',
      flag: 'tvm-threads',
      kind: integer(1, 64),
      help: 'Worker threads that run get-methods of contracts.',
      otherwise: 'as many as `DECODE_THREADS`',
      example: '2',
    }),
    backfillConcurrency: required({
      name: 'BACKFILL_CONCURRENCY',
      flag: 'backfill-concurrency',
      kind: integer(1, 64),
      default: '3',
      help: 'Backfill ranges that one ingest process works on at the same time.',
      example: '6',
    }),
    ingestPort: setting({
      name: 'INGEST_PORT',
      flag: 'ingest-port',
      kind: integer(0, 65535),
      help: 'Port of `/healthz`, `/readyz` and `/metrics` of the ingest process, on `API_HOST`.',
      otherwise: 'not served; the state is in the database and in the API',
      example: '8082',
    }),
  },
  Logs: {
    logLevel: required({
      name: 'LOG_LEVEL',
      flag: 'log-level',
      kind: oneOf('error', 'warn', 'info', 'debug'),
      default: 'info',
      help: 'Least severe level that is written.',
      example: 'debug',
    }),
    logFormat: setting({
      name: 'LOG_FORMAT',
      flag: 'log-format',
      kind: oneOf('pretty', 'json'),
      help: 'Form of log lines, and of what `shardwalk status` says. `--json` is short for `--log-format json`.',
      otherwise: '`pretty` on a terminal, `json` elsewhere',
      example: 'json',
    }),
  },
} as const

type Groups = typeof GROUPS
type Flat = { [G in keyof Groups]: Groups[G] }[keyof Groups]
type UnionToIntersection<U> = (U extends unknown ? (u: U) => void : never) extends (i: infer I) => void
  ? I
  : never
export type Definition = UnionToIntersection<Flat>

type ValueOf<S> = S extends { readonly kind: Kind<infer T>; readonly required: true }
  ? T
  : S extends { readonly kind: Kind<infer T> }
    ? T | undefined
    : never

/** Every setting under its TypeScript name; frozen. */
export type Settings = { readonly [K in keyof Definition]: ValueOf<Definition[K]> }

/** All settings in one record, in the order of the documentation. */
export const DEFINITION: Definition = Object.assign({}, ...Object.values(GROUPS))

/** Settings of which one alone is of no use: all of a row are given, or none. */
export const TOGETHER: readonly (readonly (keyof Settings)[])[] = [
  ['imageProxyUrl', 'imageProxyKey', 'imageProxySalt'],
]

export const definitions = (): readonly [keyof Settings, Setting<unknown>][] =>
  Object.entries(DEFINITION) as unknown as [keyof Settings, Setting<unknown>][]
