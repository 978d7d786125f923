import { createHash, randomUUID } from 'node:crypto'
import { sleep } from '@shardwalk/concurrency'
import { Redis } from 'ioredis'
import { QueueStoreRefused, QueueStoreUnreachable } from './errors.ts'

export interface ReachRedis {
  /** `redis://` or `rediss://`. */
  readonly url: string
  /** Every key begins with it. */
  readonly prefix: string
  /** How long to wait for a server that cannot be reached or is starting. Milliseconds. */
  readonly waitMs: number
  /** Called after each failed attempt that will be followed by another. */
  readonly onWaiting: (error: Error) => void
}

const ATTEMPT_MS = 5_000
const PAUSE_MS = 500

/**
 * Resolves when Redis accepts the user, scripts and keys of the queue. The queue's library would try again
 * for ever, and neither name the setting nor tell a wrong password from a server that is starting. Throws
 * `QueueStoreRefused` at once, `QueueStoreUnreachable` after `waitMs`.
 */
export async function reachRedis({ url, prefix, waitMs, onWaiting }: ReachRedis): Promise<void> {
  const end = performance.now() + waitMs
  for (;;) {
    const error = await attempt(url, prefix)
    if (!error) return
    const { isFinal, advice } = ADVICE.find(({ applies }) => applies(error, url)) ?? WAIT
    const reason = error.message.replace(FROM_SCRIPT, '').replace(/\.$/, '')
    const text = `REDIS_URL: ${new URL(url).host} cannot be used: ${reason}. ${advice}`.trim()
    if (isFinal) throw new QueueStoreRefused(text, { cause: error })
    if (performance.now() > end) throw new QueueStoreUnreachable(text, { cause: error })
    onWaiting(new QueueStoreUnreachable(text, { cause: error }))
    await sleep(PAUSE_MS)
  }
}

/** What the scripts of the queue do to one of its keys. A user may lack any command, or the server. */
const PROBE = `
  local function use(commands)
    redis.call('del', KEYS[1])
    for command, arguments in string.gmatch(commands, '(%w+)([^;]*)') do
      local words = {}
      for word in string.gmatch(arguments, '%S+') do words[#words + 1] = word end
      redis.call(command, KEYS[1], unpack(words))
    end
  end
  use('zadd 1 a; zscore a; zrange 0 1; zrangebyscore 0 1; zcount 0 1; zcard; zrem a; zpopmin')
  use('hset a 1; hmset b 1; hget a; hmget a b; hgetall; hincrby a 1; hexists a; hdel a')
  use('lpush a; rpush b; lrange 0 1; lindex 0; llen; ltrim 0 1; lrem 1 a; rpop')
  use('sadd a; scard; smembers; srem a')
  use('xadd * a 1; xtrim maxlen 1')
  use('incr; exists; get; pttl; pexpire 1000; persist; type; unlink')
  use('zadd 1 a; pexpire 1000')
  return redis.call('time')`
const PROBE_SHA = createHash('sha1').update(PROBE).digest('hex')

async function attempt(url: string, prefix: string): Promise<Error | undefined> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: ATTEMPT_MS,
    commandTimeout: ATTEMPT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  // Only the first error has the reason; later ones follow from it.
  let first: Error | undefined
  redis.on('error', (error) => {
    first ??= error
  })
  try {
    await withinAttempt(redis.connect(), redis)
    if (first) return first
    const info = factsOf(await redis.info())
    if (info.get('redis_mode') === 'sentinel') return new Error(SENTINEL)
    const key = `${prefix}:reached:${randomUUID()}`
    await redis.eval(PROBE, 1, key)
    await redis.evalsha(PROBE_SHA, 1, key)
    await redis.bzpopmin(key, 1)
    return losesJobs(info)
  } catch (error) {
    return first ?? (error as Error)
  } finally {
    redis.disconnect()
  }
}

/** A server that takes TLS for a command, or the reverse, says nothing until the end. */
async function withinAttempt(connecting: Promise<void>, redis: Redis): Promise<void> {
  const timer = setTimeout(() => redis.disconnect(), ATTEMPT_MS + PAUSE_MS)
  try {
    await connecting
  } finally {
    clearTimeout(timer)
  }
}

/** The answer to INFO: `name:value` lines. */
const factsOf = (info: string): ReadonlyMap<string, string> =>
  new Map(
    info.split(/\r?\n/).map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 1)]
    }),
  )

const SENTINEL = 'it is a Sentinel'
const LOSES = 'it removes jobs when its memory is full'

/**
 * A job is several keys. When one of them is gone, the others keep the same work from being queued again.
 * The other policies remove only what has a time to live, which jobs have not.
 */
function losesJobs(info: ReadonlyMap<string, string>): Error | undefined {
  const policy = info.get('maxmemory_policy') ?? ''
  if (!policy.startsWith('allkeys') || info.get('maxmemory') === '0') return undefined
  return new Error(`${LOSES} (maxmemory-policy ${policy})`)
}

/** What Redis adds to the error of a command in a script. */
const FROM_SCRIPT = / script: [0-9a-f]{40}, on .*$/

interface Advice {
  /** Whether trying again is pointless. */
  readonly isFinal: boolean
  readonly advice: string
}

const WAIT: Advice = { isFinal: false, advice: '' }

const codeOf = (error: Error): string => (error as NodeJS.ErrnoException).code ?? ''
const says = (text: RegExp) => (error: Error) => text.test(error.message)

/** The first that applies. */
const ADVICE: readonly (Advice & { readonly applies: (error: Error, url: string) => boolean })[] = [
  {
    applies: (error) => /^CERT_(HAS_EXPIRED|NOT_YET_VALID)/.test(codeOf(error)),
    isFinal: true,
    advice: 'Renew the certificate, or set the clock of this machine.',
  },
  {
    applies: (error) => codeOf(error) === 'ERR_TLS_CERT_ALTNAME_INVALID',
    isFinal: true,
    advice: 'Use a host name that the certificate has.',
  },
  {
    applies: (error) => /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(codeOf(error)),
    isFinal: true,
    advice: 'NODE_EXTRA_CA_CERTS=<file of the authority> makes a certificate trusted.',
  },
  {
    applies: says(/^(WRONGPASS|NOAUTH|ERR (AUTH|Client sent AUTH|invalid password))/),
    isFinal: true,
    advice: 'Correct user and password.',
  },
  {
    applies: says(/^NOPERM|ACL failure in script|can't run this command/),
    isFinal: true,
    advice: 'Allow the user all commands, and the keys {shardwalk}* and shardwalk:*.',
  },
  {
    // Before version 7 the error of a script has a text of its own before that of the command.
    applies: says(/^ERR .*unknown( redis)? command/i),
    isFinal: true,
    advice: 'The queue needs all commands: do not rename or disable any.',
  },
  {
    applies: says(/^ERR DB index/),
    isFinal: true,
    advice: 'The path of the URL is the number of a database: correct it.',
  },
  {
    applies: says(new RegExp(`^(MOVED|CLUSTERDOWN|CROSSSLOT|${SENTINEL})`)),
    isFinal: true,
    advice: 'Name a single server that accepts writes: Sentinel and Cluster are not supported.',
  },
  {
    applies: says(new RegExp(`^${LOSES}`)),
    isFinal: true,
    advice: 'Set maxmemory-policy noeviction, or leave REDIS_URL out: the queue is then in PostgreSQL.',
  },
  { applies: says(/^READONLY/), isFinal: false, advice: 'Name the primary.' },
  {
    applies: (error, url) =>
      url.startsWith('redis:') && /^(\w+ (ECONNRESET|EPIPE)|Connection is closed)/.test(error.message),
    isFinal: false,
    advice: 'If this port is encrypted, use rediss://.',
  },
  {
    applies: (error, url) => codeOf(error) === 'ETIMEDOUT' && url.startsWith('rediss:'),
    isFinal: false,
    advice: 'If this port is not encrypted, use redis://.',
  },
]
