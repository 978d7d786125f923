import type { EventEmitter } from 'node:events'
import { leaveReadOnlyServers, onReadOnly } from '@shardwalk/settings/pg-read-only'
import { pgSession } from '@shardwalk/settings/pg-session'
import type {
  ConnectionOptions,
  Job,
  PostgresConnectionOptions,
  PostgresQueueBackend,
  Queue,
  Worker,
  WorkerOptions,
} from 'bullmq'
import type { Lane } from './jobs.ts'
import type { ReachRedis } from './reach-redis.ts'

/** Location of the jobs: Redis, or PostgreSQL tables in a separate schema. */
export type QueueStore = { readonly redisUrl: string } | { readonly databaseUrl: string }

/** The differences between the two stores. */
export interface Backend {
  readonly kind: 'redis' | 'postgres'
  queue(lane: Lane): Queue
  worker(lane: Lane, processor: (job: Job) => Promise<void>, options: Tuning): Worker
  /** An error after which a job is not tried again. */
  permanent(message: string): Error
  isPermanent(error: Error): boolean
}

/** Worker options that do not depend on the store. */
export type Tuning = Omit<WorkerOptions, 'connection'>

/** PostgreSQL schema of bullmq's tables. */
export const QUEUE_SCHEMA = 'shardwalk_queue'

/** Key prefix in Redis. The braces put all keys into one hash slot, which a cluster requires. */
const REDIS_PREFIX = '{shardwalk}'

/** Name of a lane's queue, by lane. */
type Names = (lane: Lane) => string

/** Sixteen digits of the root hash tell networks apart; all of it would only lengthen every key. */
const namesOf = (zerostateRootHash: Buffer): Names => {
  const network = zerostateRootHash.toString('hex').slice(0, 16)
  return (lane) => `shardwalk-${network}-${lane}`
}

type BullMq = typeof import('bullmq')

/** Queues of different networks have no job in common, whatever they share. Redis has to answer. */
export async function openBackend(
  store: QueueStore,
  zerostateRootHash: Buffer,
  reaching: Pick<ReachRedis, 'waitMs' | 'onWaiting'> = { waitMs: 0, onWaiting: () => {} },
): Promise<Backend> {
  const name = namesOf(zerostateRootHash)
  if ('redisUrl' in store) {
    const { reachRedis } = await import('./reach-redis.ts')
    await reachRedis({ url: store.redisUrl, prefix: REDIS_PREFIX, ...reaching })
  }
  // Only processes with a queue load it: with what it needs, it is a tenth of a second of their start.
  const bullMq = await import('bullmq')
  const { UnrecoverableError } = bullMq
  return {
    ...('redisUrl' in store
      ? redisBackend(bullMq, store.redisUrl, name)
      : postgresBackend(bullMq, store.databaseUrl, name)),
    permanent: (message) => new UnrecoverableError(message),
    isPermanent: (error) => error instanceof UnrecoverableError,
  }
}

type Store = Omit<Backend, 'permanent' | 'isPermanent'>

function redisBackend({ Queue, Worker }: BullMq, url: string, name: Names): Store {
  // While Redis is unavailable, a producer fails fast and a worker waits. Both replace a connection that does
  // not answer: its other end may be gone without a word. The commands of a worker wait for jobs up to 10 s.
  const producer: ConnectionOptions = {
    url,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
    connectTimeout: 5000,
    socketTimeout: 5000,
  }
  const consumer: ConnectionOptions = {
    url,
    maxRetriesPerRequest: null,
    connectTimeout: 5000,
    socketTimeout: 12_000,
  }
  const prefix = REDIS_PREFIX
  return {
    kind: 'redis',
    queue: (lane) => new Queue(name(lane), { connection: producer, prefix }),
    worker: (lane, processor, options) =>
      new Worker(name(lane), processor, { ...options, connection: consumer, prefix }),
  }
}

function postgresBackend(
  { Queue, Worker, createPostgresBackend }: BullMq,
  databaseUrl: string,
  name: Names,
): Store {
  const connection: PostgresConnectionOptions = {
    // The library adds options of its own, which choose the schema of its tables.
    ...pgSession(databaseUrl, RELIED_ON, process.env),
    schema: QUEUE_SCHEMA,
    migrate: true,
    max: 3,
    connectionTimeoutMillis: 5000,
    application_name: 'shardwalk queue',
    // Without a listener, the end of a connection between two statements would end the process. The next
    // statement fails instead.
    onConnect: ignoreErrors,
  }
  const create: typeof createPostgresBackend = (...parameters) =>
    withCare(createPostgresBackend(...parameters))
  return {
    kind: 'postgres',
    queue: (lane) => new Queue(name(lane), { connection }, create) as unknown as Queue,
    worker: (lane, processor, options) =>
      new Worker(name(lane), processor, { ...options, connection }, create) as unknown as Worker,
  }
}

/**
 * Whatever the role has: statements need read committed, migrations wait for each other, and workers are idle
 * until there are jobs.
 */
const RELIED_ON = {
  default_transaction_isolation: 'read committed',
  lock_timeout: '0',
  statement_timeout: '0',
  idle_session_timeout: '0',
}

const ignoreErrors = (client: EventEmitter): void => void client.on('error', () => {})

/** The inner parts of the library's backend that its types hide. */
interface Connections {
  readonly pool: EventEmitter
  listenClient?: ListenClient
}

type ListenClient = EventEmitter & {
  readonly connection: { readonly stream: { destroy(error: Error): void } }
  end(): Promise<void>
}

/** Adds what the library does not do for its connections. */
function withCare(backend: PostgresQueueBackend): PostgresQueueBackend {
  const { connection } = backend as unknown as { readonly connection: Connections }
  leaveReadOnlyServers(connection.pool)
  // It may close a connection as soon as it has it, so that this is changed when it is set.
  let current: ListenClient | undefined
  Object.defineProperty(connection, 'listenClient', {
    get: () => current,
    set(client: ListenClient | undefined) {
      current = client
      if (!client) return
      onReadOnly(client, () => client.connection.stream.destroy(new Error('the server is a standby')))
      endQuietly(client)
    },
  })
  return backend
}

/**
 * The library takes all listeners off the connection that waits for jobs before it closes it. If the server
 * dies at that moment, the error would end the process.
 */
function endQuietly(client: ListenClient): void {
  const end = client.end.bind(client)
  const listenAndEnd = () => {
    ignoreErrors(client)
    return end()
  }
  client.end = listenAndEnd
}
