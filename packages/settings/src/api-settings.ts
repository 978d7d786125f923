import { decimal, integer, oneOf, onOff, proxies, text } from './kinds.ts'
import { required, setting } from './setting.ts'

/** Settings of the API process. */
export const API_SETTINGS = {
  apiHost: required({
    name: 'API_HOST',
    flag: 'api-host',
    kind: text('a host name or address'),
    default: '127.0.0.1',
    help: 'The address on which the API listens.',
    example: '0.0.0.0',
  }),
  apiPort: required({
    name: 'API_PORT',
    flag: 'api-port',
    kind: integer(0, 65535),
    default: '8081',
    help: 'The port of the API. 0 selects a free port.',
    example: '8081',
  }),
  metricsPort: setting({
    name: 'METRICS_PORT',
    flag: 'metrics-port',
    kind: integer(0, 65535),
    help:
      'The port of `/metrics` of the API, with `/healthz` and `/readyz`, on `API_HOST`. If it is the value ' +
      'of `API_PORT`, every client of the API can read the metrics.',
    otherwise: 'not served',
    example: '8085',
  }),
  apiProfile: required({
    name: 'API_PROFILE',
    flag: 'api-profile',
    kind: oneOf('standard', 'toncenter'),
    default: 'standard',
    help:
      'Whether replies follow the published interface description (`standard`) or the live TON Center ' +
      'service (`toncenter`).',
    example: 'toncenter',
  }),
  pages: setting({
    name: 'PAGES',
    flag: 'pages',
    kind: oneOf('full', 'public', 'off'),
    help:
      'Pages for browsers: status, explorer, reference of the API. `public` omits internal details: lite ' +
      'servers and sizes of tables.',
    otherwise: '`full` if `API_HOST` is an address of this machine only, else `public`',
    example: 'public',
  }),
  defaultLimit: setting({
    name: 'DEFAULT_LIMIT',
    flag: 'default-limit',
    kind: integer(1, 1000),
    help: 'The number of rows that a list of API v3 returns if the request has no `limit`.',
    otherwise: '10 with `API_PROFILE=standard`, 100 with `toncenter`',
    example: '10',
  }),
  anonymousRps: required({
    name: 'ANONYMOUS_RPS',
    flag: 'anonymous-rps',
    kind: decimal(0, 100_000),
    default: '1',
    help:
      'Requests per second allowed per client address without a key, if API keys exist. 0 refuses such ' +
      'requests.',
    example: '5',
  }),
  openRps: required({
    name: 'OPEN_RPS',
    flag: 'open-rps',
    kind: decimal(0, 100_000),
    default: '100',
    help:
      'Requests per second allowed per client address while there are no API keys. Requests from the same ' +
      'machine are not limited. 0: no limit.',
    example: '20',
  }),
  maxReplyMib: required({
    name: 'MAX_REPLY_MIB',
    flag: 'max-reply-mib',
    kind: integer(1, 4096),
    default: '64',
    help:
      'The maximum size of one JSON reply, in MiB. A request for more is refused with 422 before anything ' +
      'is loaded. Exports are not limited by it.',
    example: '256',
  }),
  maxConnections: required({
    name: 'MAX_CONNECTIONS',
    flag: 'max-connections',
    kind: integer(1, 1_000_000),
    default: '2000',
    help:
      'The maximum number of open client connections of the API. If the process may not open so many ' +
      'files, the maximum is lower, which is logged.',
    example: '10000',
  }),
  maxConnectionsPerClient: required({
    name: 'MAX_CONNECTIONS_PER_CLIENT',
    flag: 'max-connections-per-client',
    kind: integer(1, 1_000_000),
    default: '200',
    help:
      'The maximum number of open connections per client address. Trusted proxies and the same machine are ' +
      'exempt.',
    example: '50',
  }),
  maxRequests: required({
    name: 'MAX_REQUESTS',
    flag: 'max-requests',
    kind: integer(1, 1_000_000),
    default: '1000',
    help: 'The maximum number of requests in progress. Further ones are answered 503.',
    example: '500',
  }),
  maxRequestsPerClient: required({
    name: 'MAX_REQUESTS_PER_CLIENT',
    flag: 'max-requests-per-client',
    kind: integer(1, 1_000_000),
    default: '100',
    help:
      'The maximum number of requests in progress per client address. Further ones are answered 429. The ' +
      'same machine is exempt.',
    example: '20',
  }),
  maxInFlightMib: required({
    name: 'MAX_IN_FLIGHT_MIB',
    flag: 'max-in-flight-mib',
    kind: integer(16, 65_536),
    default: '64',
    help:
      'The maximum memory that requests in progress hold for bodies, pages and replies, in MiB. Further ' +
      'large requests are answered 503.',
    example: '256',
  }),
  maxInFlightMibPerClient: required({
    name: 'MAX_IN_FLIGHT_MIB_PER_CLIENT',
    flag: 'max-in-flight-mib-per-client',
    kind: integer(16, 65_536),
    default: '32',
    help: 'The same per client address. Further large requests are answered 429. The same machine is exempt.',
    example: '64',
  }),
  trustedProxies: required({
    name: 'TRUSTED_PROXIES',
    flag: 'trusted-proxies',
    kind: proxies,
    default: '',
    help:
      'Proxies whose headers are trusted: `X-Forwarded-For`, `X-Forwarded-Proto`, and the path below which ' +
      'they publish this server, `X-Forwarded-Prefix`.',
    example: '127.0.0.1,10.0.0.0/8',
  }),
  apiHeapMib: required({
    name: 'API_HEAP_MIB',
    flag: 'api-heap-mib',
    kind: integer(128, 65_536),
    default: '256',
    help:
      'The heap of the API process in MiB, without its worker threads and without buffers. The process ' +
      'needs about as much again. A limit in `NODE_OPTIONS` has precedence.',
    example: '1024',
  }),
  apiTvmThreads: required({
    name: 'API_TVM_THREADS',
    flag: 'api-tvm-threads',
    kind: integer(1, 64),
    default: '2',
    help:
      'The number of worker threads of the API that run get-methods. If there are several, a single client ' +
      'cannot occupy all of them.',
    example: '4',
  }),
  apiEmulationThreads: required({
    name: 'API_EMULATION_THREADS',
    flag: 'api-emulation-threads',
    kind: integer(1, 64),
    default: '1',
    help:
      'The number of worker threads of the API that run messages and code of clients (`estimateFee`, ' +
      '`emulateTrace`). Eight emulations per thread may be in progress, half of them of one client.',
    example: '2',
  }),
  apiBodyThreads: required({
    name: 'API_BODY_THREADS',
    flag: 'api-body-threads',
    kind: integer(1, 64),
    default: '1',
    help: 'The number of worker threads of the API that read large requests and write large replies.',
    example: '2',
  }),
  apiTvmQueue: required({
    name: 'API_TVM_QUEUE',
    flag: 'api-tvm-queue',
    kind: integer(4, 10_000),
    default: '256',
    help:
      'The number of runs that may wait for a thread, separately for `API_TVM_THREADS` and ' +
      '`API_EMULATION_THREADS`; a quarter of them from one client. Further ones are answered 503.',
    example: '1000',
  }),
  apiEmulationTimeoutMs: required({
    name: 'API_EMULATION_TIMEOUT_MS',
    flag: 'api-emulation-timeout-ms',
    kind: integer(100, 9_000),
    default: '3000',
    help:
      'The time limit of an emulation, in milliseconds. Transactions that have not run after five sixths ' +
      'of it are omitted from the reply.',
    example: '5000',
  }),
  marketplaceNames: setting({
    name: 'MARKETPLACE_NAMES',
    flag: 'marketplace-names',
    kind: text('the path of a JSON file'),
    help:
      'Names of NFT marketplaces for `details.marketplace` of actions, read at startup: an object with a ' +
      'name for each address. They are added to the built-in ones and override them. See docs/actions.md.',
    otherwise: 'the built-in names',
    example: '/etc/shardwalk/marketplaces.json',
  }),
  pending: required({
    name: 'PENDING',
    flag: 'pending',
    kind: onOff,
    default: 'on',
    help:
      'Whether messages that clients send are emulated and followed until they are indexed: ' +
      '`/api/v3/pending…` and pending events of streams.',
    example: 'off',
  }),
  pendingConfirmed: required({
    name: 'PENDING_CONFIRMED',
    flag: 'pending-confirmed',
    kind: onOff,
    default: 'on',
    help:
      'Whether traces and states become `confirmed` before they are `finalized`: while messages are ' +
      'pending, or streams ask for it, shard blocks that the masterchain has not committed yet are ' +
      'requested from lite servers that have them (`--nonfinal-ls` of the node).',
    example: 'off',
  }),
  pendingPushSecret: setting({
    name: 'PENDING_PUSH_SECRET',
    kind: text('a text'),
    help:
      'The secret with which other services submit messages that were sent elsewhere: `POST ' +
      '/api/pending/v1/message`, as `Authorization: Bearer` or `secret` in the query.',
    otherwise: 'such messages are refused',
    secret: true,
    example: 'a-long-random-text',
  }),
  maxStreams: required({
    name: 'MAX_STREAMS',
    flag: 'max-streams',
    kind: integer(0, 1_000_000),
    default: '1500',
    help:
      'The maximum number of open streams (`/api/streaming`), which count as connections too. 0 switches ' +
      'the streaming API off.',
    example: '5000',
  }),
  streamsPerClient: required({
    name: 'STREAMS_PER_CLIENT',
    flag: 'streams-per-client',
    kind: integer(0, 1_000_000),
    default: '2',
    help: 'The maximum number of open streams per client address without a key. The same machine is exempt.',
    example: '10',
  }),
  streamsPerKey: required({
    name: 'STREAMS_PER_KEY',
    flag: 'streams-per-key',
    kind: integer(0, 1_000_000),
    default: '10',
    help: 'The maximum number of open streams per account with API keys.',
    example: '50',
  }),
  streamAddresses: required({
    name: 'STREAM_ADDRESSES',
    flag: 'stream-addresses',
    kind: integer(1, 100_000),
    default: '100',
    help:
      'The maximum number of addresses that a stream without a key may subscribe to. One from the same ' +
      'machine may have 10,000, or this many if that is more.',
    example: '500',
  }),
  streamAddressesPerKey: required({
    name: 'STREAM_ADDRESSES_PER_KEY',
    flag: 'stream-addresses-per-key',
    kind: integer(1, 100_000),
    default: '1000',
    help: 'The same for a stream with a key.',
    example: '10000',
  }),
  streamingV1: required({
    name: 'STREAMING_V1',
    flag: 'streaming-v1',
    kind: onOff,
    default: 'off',
    help:
      'Whether the deprecated version 1 of the streaming protocol (`/api/streaming/v1`) is served too, for ' +
      'clients that have not moved to version 2.',
    example: 'on',
  }),
  webhooks: required({
    name: 'WEBHOOKS',
    flag: 'webhooks',
    kind: onOff,
    default: 'on',
    help:
      'Whether the API process delivers events to webhooks (`shardwalk webhooks`); any number of processes ' +
      'may. It needs `DATABASE_URL`.',
    example: 'off',
  }),
  webhookMaxWaiting: required({
    name: 'WEBHOOK_MAX_WAITING',
    flag: 'webhook-max-waiting',
    kind: integer(1_000, 100_000_000),
    default: '1000000',
    help:
      'The number of events that may wait for a webhook. Beyond it, new events are discarded until ' +
      '`shardwalk webhooks retry`. A million take about 300 MB.',
    example: '100000',
  }),
  webhookPrivateTargets: required({
    name: 'WEBHOOK_PRIVATE_TARGETS',
    flag: 'webhook-private-targets',
    kind: onOff,
    default: 'off',
    help:
      'Whether webhooks may be sent to private addresses, such as 127.0.0.1 and 10.0.0.0/8, and to every ' +
      'port.',
    example: 'on',
  }),
  exportMaxRows: required({
    name: 'EXPORT_MAX_ROWS',
    flag: 'export-max-rows',
    kind: integer(0, 1_000_000_000),
    default: '0',
    help: 'The maximum number of rows in an NDJSON or CSV export. 0 disables exports.',
    example: '1000000',
  }),
  exportConcurrency: required({
    name: 'EXPORT_CONCURRENCY',
    flag: 'export-concurrency',
    kind: integer(1, 1000),
    default: '2',
    help: 'The maximum number of NDJSON and CSV exports at the same time, in each API process.',
    example: '4',
  }),
  exportMaxLag: required({
    name: 'EXPORT_MAX_LAG',
    flag: 'export-max-lag',
    kind: integer(0, 1_000_000_000),
    default: '5',
    help:
      'The distance from the head, in masterchain blocks, beyond which exports over HTTP and those of the ' +
      'command pause; at most for 20 s at a time. 0: they never pause.',
    example: '20',
  }),
  exportPriority: required({
    name: 'EXPORT_PRIORITY',
    flag: 'export-priority',
    kind: oneOf('low', 'normal'),
    default: 'low',
    help:
      'With `low`, exports yield to other work: those over HTTP use at most half of the time while there ' +
      'are other requests, in smaller steps, and the command `export` runs at a low priority.',
    example: 'normal',
  }),
} as const
