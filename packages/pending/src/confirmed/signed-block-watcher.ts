import { Alarm, loopUntilAborted } from '@shardwalk/concurrency'
import { type BlockId, DecodeError, MASTERCHAIN, RecentSet, sameBlock, shardContains } from '@shardwalk/model'
import type { Logger, Metrics } from '@shardwalk/observability'
import type { Offer, SignedSource } from './ask-signed.ts'
import { ConfirmedBlocks } from './confirmed-blocks.ts'
import { SignedBlock } from './signed-block.ts'

/** Where signed blocks come from, and what is searched for in them. */
export interface WatcherOptions {
  /** Undefined while there are no lite servers. */
  readonly source: () => SignedSource | undefined
  /** Messages that pending traces await; see `messageName`. */
  readonly awaited: () => Promise<readonly Buffer[]>
  /** Called with those of the awaited messages that a signed block has received. */
  readonly onFound: (messages: readonly Buffer[]) => Promise<void>
  readonly log: Logger
  readonly metrics: Metrics
  readonly signal: AbortSignal
  /** Monotonic milliseconds. Default: the process's clock. */
  readonly now?: () => number
}

/** Receives signed blocks, whatever messages they contain. */
export interface BlockListener {
  /** Whether blocks are wanted now. */
  isListening(): boolean
  /** Called with each block, predecessors first. */
  take(block: SignedBlock): void
}

/** Between two questions while something is waited for. Milliseconds. */
const POLL_MS = 250
/** While nothing is, or no server reports any. */
const IDLE_MS = 1_000
/** Signed blocks in a row that the masterchain has not committed. */
const MAX_CHAIN = 16
/** Blocks of a server that were replaced, after which it is not asked for a while. */
const MAX_REPLACED = 3
const DISTRUST_MS = 600_000
/** Until traces are woken again for the same message. Milliseconds. */
const WAKE_AGAIN_MS = 2_000
const MAX_REFUSED = 1_000

/**
 * Asks lite servers for signed blocks while messages are pending or a listener wants them, and reports which
 * awaited messages those blocks received. Sends no queries while no server answers them. May run in any
 * number of processes.
 */
export class SignedBlockWatcher {
  readonly confirmed = new ConfirmedBlocks((server) => this.replaced(server))
  private readonly alarm = new Alarm()
  private readonly blocks
  private readonly replacedBy = new Map<string, number>()
  private readonly distrusted = new Map<string, number>()
  private readonly refused = new RecentSet<string>(MAX_REFUSED)
  private readonly woken = new Map<string, number>()
  private readonly now: () => number
  private listener: BlockListener | undefined
  private turn = 0

  constructor(private readonly options: WatcherOptions) {
    const { metrics, now = () => performance.now() } = options
    this.now = now
    this.blocks = metrics.counter(
      'confirmed_blocks_total',
      'Signed shard blocks that lite servers reported, by what became of them.',
      ['result'],
    )
    metrics.gauge(
      'confirmed_servers',
      'Lite servers that report shard blocks before the masterchain commits them.',
      [],
      (gauge) => gauge.set({}, this.servers.length),
    )
  }

  /** Names of the lite servers that offer signed blocks and have not sent false ones lately. */
  get servers(): readonly string[] {
    const now = this.now()
    const all = this.options.source()?.servers ?? []
    return all.filter((one) => (this.distrusted.get(one) ?? 0) <= now)
  }

  /** Sets the listener; there can be one. */
  listen(listener: BlockListener): void {
    this.listener = listener
  }

  /** Must be called when messages were admitted. */
  wake(): void {
    this.alarm.ring()
  }

  async run(): Promise<void> {
    const { signal, log } = this.options
    await loopUntilAborted(async () => this.alarm.wait(await this.poll(), signal), {
      signal,
      onError: (error) => log.debug('signed blocks are not known', { error }),
    })
  }

  /** Asks once, if there is a reason to. Resolves to the milliseconds until the next poll. */
  async poll(): Promise<number> {
    const { source: open, awaited: read, onFound, log } = this.options
    const source = open()
    const { servers } = this
    if (!source || servers.length === 0) return IDLE_MS
    const awaited = await read()
    if (awaited.length === 0 && !this.listener?.isListening()) return IDLE_MS
    await this.ask(source, servers[this.turn++ % servers.length]!).catch((error: unknown) => {
      log.debug('a lite server does not report signed blocks', { error })
    })
    const messages = this.newlyFound(this.confirmed.receivedAmong(awaited))
    if (messages.length > 0) await onFound(messages)
    return POLL_MS
  }

  private newlyFound(messages: readonly Buffer[]): readonly Buffer[] {
    const now = this.now()
    for (const [name, at] of this.woken) if (now - at > WAKE_AGAIN_MS) this.woken.delete(name)
    const found = messages.filter((message) => !this.woken.has(message.toString('base64')))
    for (const message of found) this.woken.set(message.toString('base64'), now)
    return found
  }

  private async ask(source: SignedSource, server: string): Promise<void> {
    const offers = await source.ask(server, this.options.signal)
    const tops = await source.tops()
    for (const offer of offers) {
      const name = offer.id.rootHash.toString('base64')
      if (this.refused.has(name)) continue
      try {
        if (!(await this.take(offer, { server, tops }))) this.refuse(name)
      } catch (error) {
        if (error instanceof DecodeError) {
          this.refuse(name)
          source.report(server, `a signed block: ${error.message}`)
        } else throw error
      }
    }
  }

  /** The block with those before it that are not final either. False: they do not lead to one that is. */
  private async take(
    { id, read }: Offer,
    { server, tops }: { readonly server: string; readonly tops: readonly BlockId[] },
  ): Promise<boolean> {
    if (id.workchain === MASTERCHAIN || isCommitted(id, tops)) return true
    const chain: SignedBlock[] = []
    const open = [id]
    for (let next = open.shift(); next; next = open.shift()) {
      if (this.confirmed.has(next) || tops.some((top) => sameBlock(top, next))) continue
      if (isCommitted(next, tops) || chain.length === MAX_CHAIN) return false
      const block = await SignedBlock.open({ id: next, bytes: await read(next) })
      chain.push(block)
      open.push(...block.prev)
    }
    for (const block of chain.reverse()) {
      this.confirmed.add(block, { server, now: this.now() })
      this.blocks.inc({ result: 'taken' })
      this.listener?.take(block)
    }
    return true
  }

  private refuse(name: string): void {
    this.blocks.inc({ result: 'refused' })
    this.refused.add(name)
  }

  private replaced(server: string): void {
    this.blocks.inc({ result: 'replaced' })
    const count = (this.replacedBy.get(server) ?? 0) + 1
    this.replacedBy.set(server, count % MAX_REPLACED)
    if (count < MAX_REPLACED) return
    this.distrusted.set(server, this.now() + DISTRUST_MS)
    this.options.log.warn('a lite server reported blocks that did not become final', { server })
  }
}

/** Whether the masterchain committed a block of this height, which may be another one. */
const isCommitted = ({ workchain, shard, seqno }: BlockId, tops: readonly BlockId[]): boolean =>
  tops.some(
    (top) =>
      top.workchain === workchain &&
      (shardContains(top.shard, shard) || shardContains(shard, top.shard)) &&
      top.seqno >= seqno,
  )
