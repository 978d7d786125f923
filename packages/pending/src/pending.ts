import { sleep } from '@shardwalk/concurrency'
import {
  type Admission,
  type AdmittedMessage,
  admitPending,
  ChannelListener,
  type ChannelListenerOptions,
  type Db,
  INDEXED_CHANNEL,
  PENDING_CHANNEL,
  wakeAwaiting,
  withdrawPending,
} from '@shardwalk/db'
import type { NodeAccess, SendOutcome } from '@shardwalk/node-access'
import type { Logger, Metrics } from '@shardwalk/observability'
import { type AccountCache, awaitedMessages } from '@shardwalk/queries'
import { signedSource } from './confirmed/ask-signed.ts'
import type { ConfirmedBlocks } from './confirmed/confirmed-blocks.ts'
import { type BlockListener, SignedBlockWatcher } from './confirmed/signed-block-watcher.ts'
import { PendingKeeper } from './keeper.ts'
import { readSentMessage } from './read-sent.ts'

/** Limits of pending messages. */
export interface PendingOptions {
  /** Where to listen for changes; default: the tables are looked at every second. */
  readonly pool?: ChannelListenerOptions['pool'] | undefined
  /** Secret with which services submit messages that were sent elsewhere; default: they are refused. */
  readonly pushSecret?: string | undefined
  /** Messages emulated at the same time; default 4. */
  readonly places?: number | undefined
  /** How long servers may take before a message is followed unanswered; default 300. Milliseconds. */
  readonly patienceMs?: number | undefined
  /** Whether lite servers that report blocks which are not final are asked for them. Default true. */
  readonly confirms?: boolean | undefined
  /** See `KeeperOptions`. */
  readonly ignoresSignatures?: boolean | undefined
}

interface PendingServices {
  /** The primary. */
  readonly db: Db
  readonly accounts: AccountCache
  /** Undefined while there are no lite servers. */
  readonly node: () => NodeAccess | undefined
  readonly log: Logger
  readonly metrics: Metrics
}

/** With more of them, the database is too slow or away, and sending must not wait for it. */
const MAX_UNDER_WAY = 100
const PATIENCE_MS = 300

/** Messages that were sent and have not happened yet: admits them and takes part in following them. */
export class Pending {
  /** The primary, where they are kept. */
  readonly db: Db
  private readonly stop = new AbortController()
  private readonly keeper: PendingKeeper
  private readonly signedBlocks: SignedBlockWatcher | undefined
  private readonly listener: ChannelListener | undefined
  private readonly watchers = new Set<() => void>()
  private readonly running: Promise<unknown>
  private readonly patienceMs: number
  private underWay = 0
  private readonly admissions

  constructor(
    private readonly services: PendingServices,
    { pool, places, patienceMs = PATIENCE_MS, confirms = true, ignoresSignatures }: PendingOptions,
  ) {
    const { db, metrics, log, node, accounts } = services
    this.db = db
    this.patienceMs = patienceMs
    this.admissions = metrics.counter('pending_messages_total', 'Messages sent, by what became of them.', [
      'result',
    ])
    const { signal } = this.stop
    if (confirms) this.signedBlocks = this.watchSignedBlocks()
    this.keeper = new PendingKeeper({
      db,
      accounts,
      node,
      log,
      signal,
      ignoresSignatures,
      confirmed: this.signedBlocks?.confirmed,
      ...(places !== undefined && { places }),
    })
    metrics.gauge('pending_looks', 'Pending messages that are being emulated.', [], (gauge) =>
      gauge.set({}, this.keeper.count),
    )
    if (pool)
      this.listener = new ChannelListener({
        pool,
        channel: [PENDING_CHANNEL, INDEXED_CHANNEL],
        onNotification: () => this.wake(),
      })
    this.running = Promise.all([this.keeper.run(), this.signedBlocks?.run()])
  }

  private watchSignedBlocks(): SignedBlockWatcher {
    const { db, metrics, log, node } = this.services
    return new SignedBlockWatcher({
      ...{ log, metrics, signal: this.stop.signal },
      source: () => {
        const open = node()
        return open && signedSource(open)
      },
      awaited: () => awaitedMessages(db),
      onFound: async (messages) => {
        await wakeAwaiting(db, messages)
        this.keeper.wake()
      },
    })
  }

  /** Lite servers that report blocks before they are final. */
  get confirmingServers(): number {
    return this.signedBlocks?.servers.length ?? 0
  }

  /** Tells of blocks that are signed and not final. Undefined: they are not asked for. */
  listen(listener: BlockListener): ConfirmedBlocks | undefined {
    this.signedBlocks?.listen(listener)
    return this.signedBlocks?.confirmed
  }

  /** Calls back whenever something may have changed. */
  onChange(call: () => void): void {
    this.watchers.add(call)
  }

  /** In the background: sending does not wait for it, nor fail with it. */
  follow(boc: Buffer, outcome: Promise<SendOutcome>): void {
    if (this.underWay >= MAX_UNDER_WAY) {
      this.admissions.inc({ result: 'full' })
      return
    }
    this.underWay++
    this.followSent(boc, outcome)
      .catch((error: unknown) => this.services.log.debug('a sent message is not followed', { error }))
      .finally(() => this.underWay--)
  }

  /** Nothing is published of what servers refuse at once; what they refuse late is taken back. */
  private async followSent(boc: Buffer, outcome: Promise<SendOutcome>): Promise<void> {
    const early = await Promise.race([outcome, sleep(this.patienceMs)])
    if (early === 'refused' || early === 'unknown') return
    const { message, admission } = await this.take(boc)
    if (admission === 'admitted' && (await outcome) === 'refused') {
      await withdrawPending(this.db, message.hashNorm, 'refused by lite servers')
      this.wake()
    }
  }

  /** Throws `DecodeError` and `EmulationError` if it is not an external message. */
  async take(boc: Buffer): Promise<{ readonly message: AdmittedMessage; readonly admission: Admission }> {
    const message = readSentMessage(boc)
    const admission = await admitPending(this.db, message)
    this.admissions.inc({ result: admission })
    if (admission === 'admitted') this.wake()
    return { message, admission }
  }

  private wake(): void {
    this.keeper.wake()
    this.signedBlocks?.wake()
    for (const call of this.watchers) call()
  }

  async close(): Promise<void> {
    this.stop.abort()
    this.listener?.close()
    await this.running
  }
}
