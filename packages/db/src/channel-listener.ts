import type pg from 'pg'

/** What is listened to, and who learns of it. */
export interface ChannelListenerOptions {
  /** One of its connections is occupied while listening. */
  readonly pool: Pick<pg.Pool, 'connect'>
  readonly channel: string | readonly string[]
  /**
   * Called on each notification, and whenever listening begins, because notifications may have been missed.
   */
  readonly onNotification: () => void
  readonly onFailure?: (error: unknown) => void
}

const RETRY_MS = 5_000
/** A replica may become the primary, or the address lead to another server. */
const REPLICA_RETRY_MS = 30_000
/** read_only_sql_transaction, feature_not_supported: a replica does not notify. */
const NO_NOTICES = ['25006', '0A000']

/**
 * LISTEN on a connection that is replaced when it is lost. A replica, which does not notify, is asked again
 * every 30 s; that it does not is reported once.
 */
export class ChannelListener {
  private client: pg.PoolClient | undefined
  private retry: NodeJS.Timeout | undefined
  private isClosed = false
  private isReplica = false

  constructor(private readonly options: ChannelListenerOptions) {
    void this.listen()
  }

  close(): void {
    this.isClosed = true
    clearTimeout(this.retry)
    this.drop()
  }

  private async listen(): Promise<void> {
    const { channel, onFailure, onNotification, pool } = this.options
    if (this.isClosed) return
    try {
      const client = await pool.connect()
      if (this.isClosed) return client.release()
      this.client = client
      client.on('notification', onNotification)
      client.once('error', () => {
        if (this.client !== client) return
        this.drop()
        this.listenLater(RETRY_MS)
      })
      for (const one of [channel].flat()) await client.query(`listen ${one}`)
      this.isReplica = false
      // Notifications may have been missed until now.
      onNotification()
    } catch (error) {
      const wasReplica = this.isReplica
      this.isReplica = NO_NOTICES.includes((error as { code?: string }).code ?? '')
      if (!wasReplica || !this.isReplica) onFailure?.(error)
      this.drop()
      this.listenLater(this.isReplica ? REPLICA_RETRY_MS : RETRY_MS)
    }
  }

  /** Destroys the connection; returned to the pool it would keep listening. */
  private drop(): void {
    this.client?.release(true)
    this.client = undefined
  }

  private listenLater(afterMs: number): void {
    if (this.isClosed) return
    this.retry = setTimeout(() => void this.listen(), afterMs)
    this.retry.unref()
  }
}
