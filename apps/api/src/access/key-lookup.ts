import {
  API_KEYS_CHANNEL,
  type ApiKey,
  type Db,
  findApiKey,
  hasApiKeys,
  hashApiKey,
  isApiKeyText,
} from '@shardwalk/db'
import { type Logger, silentLogger } from '@shardwalk/observability'
import type pg from 'pg'

export interface KeyLookupOptions {
  readonly db: Db
  /** For LISTEN; absent: changes are noticed when what is remembered gets old. */
  readonly pool?: Pick<pg.Pool, 'connect'>
  readonly log?: Logger
  /** Milliseconds; never goes back. */
  readonly now?: () => number
}

interface Remembered<T> {
  readonly until: number
  readonly value: Promise<T>
}

const KNOWN_MS = 60_000
const UNKNOWN_MS = 10_000
/** Whoever tries keys must not fill the memory with them. */
const MAX_REMEMBERED = 20_000
const LISTEN_AGAIN_MS = 5_000

/** Keys out of the database, remembered for a while; forgotten at once when one is made or revoked. */
export class KeyLookup {
  private readonly keys = new Map<string, Remembered<ApiKey | undefined>>()
  private readonly now: () => number
  private configured: Remembered<boolean> | undefined
  private listener: pg.PoolClient | undefined
  private again: NodeJS.Timeout | undefined
  private isClosed = false

  constructor(private readonly options: KeyLookupOptions) {
    this.now = options.now ?? (() => performance.now())
    void this.listen()
  }

  /** The key in force; undefined: there is no such key. Rejects when the database cannot be asked. */
  find(text: string): Promise<ApiKey | undefined> {
    if (!isApiKeyText(text)) return Promise.resolve(undefined)
    const hash = hashApiKey(text)
    const name = hash.toString('latin1')
    const known = this.keys.get(name)
    if (known && known.until > this.now()) return known.value
    const value = findApiKey(this.options.db, hash)
    this.remember(name, value, KNOWN_MS)
    value.then(
      (key) => {
        if (!key && this.keys.get(name)?.value === value) this.remember(name, value, UNKNOWN_MS)
      },
      () => this.keys.delete(name),
    )
    return value
  }

  /** True when some key is in force. Without any, the service is open. */
  isConfigured(): Promise<boolean> {
    if (this.configured && this.configured.until > this.now()) return this.configured.value
    const before = this.configured
    // While the database is away, what was true last stands.
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
    this.isClosed = true
    clearTimeout(this.again)
    // Destroyed, not given back: the connection listens.
    this.listener?.release(true)
    this.listener = undefined
  }

  private remember(name: string, value: Promise<ApiKey | undefined>, forMs: number): void {
    this.keys.delete(name)
    this.keys.set(name, { until: this.now() + forMs, value })
    if (this.keys.size > MAX_REMEMBERED) this.keys.delete(this.keys.keys().next().value!)
  }

  private async listen(): Promise<void> {
    const { pool, log = silentLogger } = this.options
    if (!pool || this.isClosed) return
    try {
      const client = await pool.connect()
      if (this.isClosed) return client.release()
      this.listener = client
      client.on('notification', ({ channel }) => {
        if (channel === API_KEYS_CHANNEL) this.forget()
      })
      client.once('error', () => {
        if (this.listener !== client) return
        this.listener = undefined
        client.release(true)
        this.listenLater()
      })
      await client.query(`listen ${API_KEYS_CHANNEL}`)
      // Whatever changed while nobody listened.
      this.forget()
    } catch (error) {
      log.debug('changes of API keys are not listened to', { error })
      // 25006, 0A000: a replica does not notify; the keys get old instead.
      const code = (error as { code?: string }).code ?? ''
      const listener = this.listener
      this.listener = undefined
      listener?.release(true)
      if (!['25006', '0A000'].includes(code)) this.listenLater()
    }
  }

  private listenLater(): void {
    if (this.isClosed) return
    this.again = setTimeout(() => void this.listen(), LISTEN_AGAIN_MS)
    this.again.unref()
  }
}
