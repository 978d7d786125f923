import {
  API_KEYS_CHANNEL,
  type ApiKey,
  ChannelListener,
  type ChannelListenerOptions,
  type Db,
  findApiKey,
  hasApiKeys,
  hashApiKey,
  isApiKeyText,
} from '@shardwalk/db'
import { RecentMap, RecentSet } from '@shardwalk/model'
import { type Logger, silentLogger } from '@shardwalk/observability'

export interface KeyLookupOptions {
  readonly db: Db
  /** Used to receive notifications. Without it, changes take effect when cached results expire. */
  readonly pool?: ChannelListenerOptions['pool']
  readonly log?: Logger
  /** Milliseconds; monotonic. */
  readonly now?: () => number
}

interface Cached<T> {
  readonly until: number
  readonly value: Promise<T>
}

const KNOWN_MS = 60_000
const UNKNOWN_MS = 10_000
/** Limited because guessed keys are cached too. */
const MAX_CACHED = 20_000

/**
 * Looks up keys and caches the results for a short time; the cache is cleared when a key is created or
 * revoked.
 */
export class KeyLookup {
  private readonly keys = new RecentMap<string, Cached<ApiKey | undefined>>(MAX_CACHED)
  private readonly now: () => number
  /** Hashes of keys that were valid at their last lookup. */
  private readonly seen = new RecentSet<string>(MAX_CACHED)
  private configured: Cached<boolean> | undefined
  private readonly listener: ChannelListener | undefined

  constructor(private readonly options: KeyLookupOptions) {
    const { pool, log = silentLogger, now = () => performance.now() } = options
    this.now = now
    if (!pool) return
    this.listener = new ChannelListener({
      pool,
      channel: API_KEYS_CHANNEL,
      onNotification: () => this.forget(),
      onFailure: (error) => log.debug('changes of API keys not received', { error }),
    })
  }

  /** The valid key; undefined when there is none. Rejects when the database does not answer. */
  find(text: string): Promise<ApiKey | undefined> {
    if (!isApiKeyText(text)) return Promise.resolve(undefined)
    const hash = hashApiKey(text)
    const name = hash.toString('latin1')
    const cached = this.keys.get(name)
    if (cached && cached.until > this.now()) return cached.value
    const value = findApiKey(this.options.db, hash)
    this.cache(name, value, KNOWN_MS)
    value.then(
      (key) => {
        this.remember(name, key !== undefined)
        if (!key && this.keys.get(name)?.value === value) this.cache(name, value, UNKNOWN_MS)
      },
      () => this.keys.delete(name),
    )
    return value
  }

  /** True if the key was valid at its last lookup by this process. */
  isKnown(text: string): boolean {
    return isApiKeyText(text) && this.seen.has(hashApiKey(text).toString('latin1'))
  }

  /** True if there is a valid key. Without any the service is open. */
  isConfigured(): Promise<boolean> {
    if (this.configured && this.configured.until > this.now()) return this.configured.value
    const before = this.configured
    // The last result remains in use while the database is unavailable.
    const value = hasApiKeys(this.options.db).catch((error: unknown) => {
      if (this.configured?.value === value) this.configured = undefined
      if (before) return before.value
      throw error
    })
    this.configured = { until: this.now() + UNKNOWN_MS, value }
    value.catch(() => {})
    return value
  }

  forget(): void {
    this.keys.clear()
    this.configured = undefined
  }

  close(): void {
    this.listener?.close()
  }

  private remember(name: string, inForce: boolean): void {
    if (inForce) this.seen.add(name)
    else this.seen.delete(name)
  }

  private cache(name: string, value: Promise<ApiKey | undefined>, forMs: number): void {
    this.keys.set(name, { until: this.now() + forMs, value })
  }
}
