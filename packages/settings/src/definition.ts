import { API_SETTINGS } from './api-settings.ts'
import {
  asciiSecret,
  databaseUrl,
  databaseUrls,
  decimal,
  hexBytes,
  integer,
  type Kind,
  liteservers,
  networks,
  oneOf,
  onOff,
  redisUrl,
  retention,
  startPoint,
  text,
  url,
  urls,
} from './kinds.ts'
import { required, type Setting, setting } from './setting.ts'
import { watch } from './watch-kind.ts'

/** All settings, by the part of the system that they concern. */
export const GROUPS = {
  'Network and range': {
    network: required({
      name: 'NETWORK',
      flag: 'network',
      kind: text(
        '`mainnet`, `testnet`, `sample`, a path or URL of a global config, or the folder of a recorded ' +
          "chain or of a node's archive",
      ),
      default: 'mainnet',
      help: 'The network to index. `sample` is a recorded chain that requires no network access.',
      example: 'mainnet',
    }),
    indexFrom: setting({
      name: 'INDEX_FROM',
      flag: 'from',
      kind: startPoint,
      help: 'The first masterchain block to index.',
      otherwise: '`head` on live networks, `genesis` on `sample`, recorded chains and archives',
      example: 'head',
    }),
    backfill: required({
      name: 'BACKFILL',
      flag: 'backfill',
      kind: oneOf('oldest-first', 'newest-first', 'off'),
      default: 'oldest-first',
      help:
        'The order in which missing blocks between `INDEX_FROM` and the head are indexed. `off` closes ' +
        'gaps but indexes nothing older than what is already indexed.',
      example: 'newest-first',
    }),
    retention: setting({
      name: 'RETENTION',
      flag: 'retention',
      kind: retention,
      help:
        'How much of the chain before the newest block is kept. Older transactions are dropped in whole ' +
        'partitions (`PARTITION_WIDTH`); history is indexed newest first. See docs/retention.md.',
      otherwise: 'everything is kept',
      example: '30d',
    }),
    watch: setting({
      name: 'WATCH',
      flag: 'watch',
      kind: watch,
      help:
        'What to index: only traces that concern one of these accounts, jettons or contract codes are ' +
        'kept, each of them whole. See docs/watch.md.',
      otherwise: 'everything is kept',
      example: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
    }),
    liteservers: setting({
      name: 'LITESERVERS',
      flag: 'liteservers',
      kind: liteservers,
      help: 'Lite servers to use instead of those in the global config.',
      otherwise: "the global config's list",
      example: '127.0.0.1:4924:peJTw/arlRfssgTuf9BMypJzqOi7SXEqSPSWiEw2U1M=',
    }),
    source: required({
      name: 'SOURCE',
      flag: 'source',
      kind: oneOf('lite', 'p2p', 'auto'),
      default: 'lite',
      help:
        'Where blocks come from: lite servers, full nodes over UDP, or `auto`: full nodes, and lite ' +
        'servers for what full nodes do not provide. Account states always come from lite servers; with ' +
        '`p2p` states that blocks do not contain remain unknown. See docs/p2p.md.',
      example: 'auto',
    }),
    p2pPort: required({
      name: 'P2P_PORT',
      flag: 'p2p-port',
      kind: integer(0, 65_535),
      default: '0',
      help: 'The UDP port for full nodes. It need not be reachable from outside. 0: any free port.',
      example: '30303',
    }),
    p2pPeers: required({
      name: 'P2P_PEERS',
      flag: 'p2p-peers',
      kind: integer(1, 300),
      default: '50',
      help: 'The wanted number of full nodes per overlay; with so many, others are searched for less often.',
      example: '20',
    }),
    p2pDownloadMbps: setting({
      name: 'P2P_DOWNLOAD_MBPS',
      flag: 'p2p-download-mbps',
      kind: decimal(0.1, 100_000),
      help: 'The rate at which history is downloaded from full nodes, in megabits per second.',
      otherwise: 'not limited',
      example: '100',
    }),
    replaySpeed: required({
      name: 'REPLAY_SPEED',
      flag: 'speed',
      kind: decimal(0, 100_000),
      default: '0',
      help:
        'The speed at which the head of `sample` or a recorded chain moves, in masterchain blocks per ' +
        'second. With 0 it is at the end immediately.',
      example: '10',
    }),
  },
  Storage: {
    databaseUrl: setting({
      name: 'DATABASE_URL',
      kind: databaseUrl,
      secret: true,
      help: 'The PostgreSQL database to write to.',
      otherwise: 'an embedded PostgreSQL with its data in `DATA_DIR`',
      example: 'postgres://shardwalk:secret@localhost:5432/shardwalk',
    }),
    databaseReadUrl: setting({
      name: 'DATABASE_READ_URL',
      kind: databaseUrls,
      secret: true,
      help:
        'The PostgreSQL databases that the API reads from, for example replicas; each request is answered ' +
        'by one that is up (docs/scaling.md). `shardwalk api` needs no other URL; without `DATABASE_URL` ' +
        'it does not store sent messages and does not request metadata.',
      otherwise: 'the same as `DATABASE_URL`',
      example: 'postgres://reader:secret@one:5432/shardwalk,postgres://reader:secret@two:5432/shardwalk',
    }),
    partitionWidth: required({
      name: 'PARTITION_WIDTH',
      kind: integer(1_000_000, Number.MAX_SAFE_INTEGER),
      default: '5000000000000',
      help:
        'How much logical time a partition of `transactions` and `messages` covers. By default 23 days at ' +
        '0.4 s per block. Existing partitions stay as they are. See docs/partitions.md.',
      example: '2000000000000',
    }),
    databaseWriterPassword: setting({
      name: 'DATABASE_WRITER_PASSWORD',
      kind: asciiSecret,
      secret: true,
      help:
        'The password that the owner of the tables gives to the role `shardwalk_writer`, for `shardwalk ' +
        'migrate` and `start` with a `DATABASE_URL`. See docs/postgresql.md.',
      otherwise: 'the role is left as it is; an embedded PostgreSQL makes its own',
      example: 'f2c0a61b',
    }),
    databaseReaderPassword: setting({
      name: 'DATABASE_READER_PASSWORD',
      kind: asciiSecret,
      secret: true,
      help: 'The same for `shardwalk_reader`, the role of the API.',
      otherwise: 'as for `DATABASE_WRITER_PASSWORD`',
      example: '4d9f3b70',
    }),
    databaseAnalystPassword: setting({
      name: 'DATABASE_ANALYST_PASSWORD',
      kind: asciiSecret,
      secret: true,
      help: 'The same for `shardwalk_analyst`, the read-only role of people.',
      otherwise: 'as for `DATABASE_WRITER_PASSWORD`',
      example: '91b5e8d2',
    }),
    databasePort: setting({
      name: 'DATABASE_PORT',
      flag: 'database-port',
      kind: integer(1, 65_535),
      help: 'The port of the embedded PostgreSQL on 127.0.0.1. `shardwalk database-url` prints the URL.',
      otherwise: 'derived from `DATA_DIR` at the first start and kept in its file `postgres-port`',
      example: '15432',
    }),
    databasePoolSize: required({
      name: 'DATABASE_POOL_SIZE',
      flag: 'database-pool-size',
      kind: integer(2, 200),
      default: '10',
      help: 'The maximum number of database connections per process, and per server of `DATABASE_READ_URL`.',
      example: '20',
    }),
    databaseWaitSeconds: required({
      name: 'DATABASE_WAIT_SECONDS',
      flag: 'database-wait-seconds',
      kind: integer(0, 3600),
      default: '60',
      help:
        'How long to wait at startup for the database at `DATABASE_URL`, in seconds. After that the ' +
        'process exits with code 75.',
      example: '300',
    }),
    redisUrl: setting({
      name: 'REDIS_URL',
      kind: redisUrl,
      secret: true,
      help:
        'Redis or Valkey server for the queue, a single one that accepts writes. Its data may be lost: the ' +
        'queue is rebuilt from PostgreSQL. See docs/redis.md.',
      otherwise: 'the queue is stored in PostgreSQL',
      example: 'redis://localhost:6379',
    }),
    dataDir: required({
      name: 'DATA_DIR',
      flag: 'data-dir',
      kind: text('a folder'),
      default: './data',
      help: 'The folder for the embedded PostgreSQL and cached global configs.',
      example: '/var/lib/shardwalk',
    }),
  },
  API: API_SETTINGS,
  'Token metadata': {
    metadataFetch: required({
      name: 'METADATA_FETCH',
      flag: 'metadata-fetch',
      kind: onOff,
      default: 'off',
      help:
        'Whether to fetch off-chain metadata of tokens. This connects to servers that are chosen by ' +
        'contracts.',
      example: 'on',
    }),
    metadataIpfsGateways: setting({
      name: 'METADATA_IPFS_GATEWAYS',
      flag: 'metadata-ipfs-gateways',
      kind: urls('http', 'https'),
      help: 'IPFS gateways in order of preference. Their hosts may have private addresses.',
      otherwise: 'three public gateways',
      example: 'https://ipfs.io/ipfs/,https://dweb.link/ipfs/',
    }),
    metadataDeniedNetworks: required({
      name: 'METADATA_DENIED_NETWORKS',
      flag: 'metadata-denied-networks',
      kind: networks,
      default: '',
      help:
        'Networks to which metadata fetching must not connect, in addition to all non-public ones. List ' +
        'your own public networks here.',
      example: '203.0.113.0/24,2001:db8::/32',
    }),
    metadataOverrides: setting({
      name: 'METADATA_OVERRIDES',
      flag: 'metadata-overrides',
      kind: text('the path of a JSON file'),
      help: 'Content that replaces the on-chain content of tokens, read at startup. See docs/metadata.md.',
      otherwise: 'nothing is replaced',
      example: '/etc/shardwalk/overrides.json',
    }),
    metadataConcurrency: required({
      name: 'METADATA_CONCURRENCY',
      flag: 'metadata-concurrency',
      kind: integer(1, 256),
      default: '32',
      help: 'The number of documents that one metadata process fetches concurrently.',
      example: '64',
    }),
    metadataAirdropMib: required({
      name: 'METADATA_AIRDROP_MIB',
      flag: 'metadata-airdrop-mib',
      kind: integer(0, 1024),
      default: '64',
      help:
        'The maximum size of an imported list of mintless jetton owners, in MiB (about 18,000 owners ' +
        'each). 0 disables the import.',
      example: '256',
    }),
    metadataPort: setting({
      name: 'METADATA_PORT',
      flag: 'metadata-port',
      kind: integer(0, 65535),
      help: 'The port of `/healthz`, `/readyz` and `/metrics` of the metadata process, on `API_HOST`.',
      otherwise: 'not served; `shardwalk status` shows its queue',
      example: '8083',
    }),
    imageProxyUrl: setting({
      name: 'IMAGE_PROXY_URL',
      flag: 'image-proxy-url',
      kind: url('http', 'https'),
      help:
        'Public base URL of an imgproxy with the presets `small`, `medium` and `big`. If set, replies have ' +
        'links to images in three sizes.',
      otherwise: 'no links',
      example: 'https://images.example.org',
    }),
    imageProxyKey: setting({
      name: 'IMAGE_PROXY_KEY',
      kind: hexBytes,
      secret: true,
      help: 'The key of the image proxy, as in its `IMGPROXY_KEY`.',
      otherwise: 'none; required with `IMAGE_PROXY_URL`',
      example: '943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881',
    }),
    imageProxySalt: setting({
      name: 'IMAGE_PROXY_SALT',
      kind: hexBytes,
      secret: true,
      help: 'The salt of the image proxy, as in its `IMGPROXY_SALT`.',
      otherwise: 'none; required with `IMAGE_PROXY_URL`',
      example: '520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5',
    }),
  },
  Actions: {
    actionsPort: setting({
      name: 'ACTIONS_PORT',
      flag: 'actions-port',
      kind: integer(0, 65535),
      help: 'The port of `/healthz`, `/readyz` and `/metrics` of the actions process, on `API_HOST`.',
      otherwise: 'not served; `shardwalk status` shows its queue',
      example: '8084',
    }),
  },
  Ingest: {
    decodeThreads: setting({
      name: 'DECODE_THREADS',
      flag: 'decode-threads',
      kind: integer(1, 64),
      help: 'The number of worker threads that decode blocks.',
      otherwise: 'the number of processors minus one, between 1 and 4',
      example: '4',
    }),
    tvmThreads: setting({
      name: 'TVM_THREADS',
      flag: 'tvm-threads',
      kind: integer(1, 64),
      help: 'The number of worker threads that run get-methods of contracts.',
      otherwise: 'the value of `DECODE_THREADS`',
      example: '2',
    }),
    backfillConcurrency: required({
      name: 'BACKFILL_CONCURRENCY',
      flag: 'backfill-concurrency',
      kind: integer(1, 64),
      default: '3',
      help: 'The number of backfill ranges that one ingest process indexes concurrently.',
      example: '6',
    }),
    ingestPort: setting({
      name: 'INGEST_PORT',
      flag: 'ingest-port',
      kind: integer(0, 65535),
      help: 'The port of `/healthz`, `/readyz` and `/metrics` of the ingest process, on `API_HOST`.',
      otherwise: 'not served; the API and `shardwalk status` show the state',
      example: '8082',
    }),
  },
  Logs: {
    logLevel: required({
      name: 'LOG_LEVEL',
      flag: 'log-level',
      kind: oneOf('error', 'warn', 'info', 'debug'),
      default: 'info',
      help: 'The lowest severity of log entries that are written.',
      example: 'debug',
    }),
    logFormat: setting({
      name: 'LOG_FORMAT',
      flag: 'log-format',
      kind: oneOf('pretty', 'json'),
      help:
        'The format of log lines and of the output of `shardwalk status`. `--json` is short for ' +
        '`--log-format json`.',
      otherwise: '`pretty` on a terminal, `json` elsewhere',
      example: 'json',
    }),
  },
} as const

type Groups = typeof GROUPS
export type GroupName = keyof Groups
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

/** All settings by their TypeScript names; frozen. */
export type Settings = { readonly [K in keyof Definition]: ValueOf<Definition[K]> }

/** All settings in one record, in the order of the documentation. */
export const DEFINITION: Definition = Object.assign({}, ...Object.values(GROUPS))

/** Groups of settings that must be given together or not at all. */
export const REQUIRED_TOGETHER: readonly (readonly (keyof Settings)[])[] = [
  ['imageProxyUrl', 'imageProxyKey', 'imageProxySalt'],
]

/** All settings with their names, in the order of the documentation. */
export const definitions = (): readonly [keyof Settings, Setting<unknown>][] =>
  Object.entries(DEFINITION) as unknown as [keyof Settings, Setting<unknown>][]
