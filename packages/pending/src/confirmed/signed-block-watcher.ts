import { Alarm, loopUntilAborted } from '@shardwalk/concurrency'
import { type Db, wakeAwaiting } from '@shardwalk/db'
import {
  type BlockId,
  DecodeError,
  MASTERCHAIN,
  type ShardTop,
  sameBlock,
  shardContains,
} from '@shardwalk/model'
import type { NodeAccess } from '@shardwalk/node-access'
import type { Logger, Metrics } from '@shardwalk/observability'
import { awaitedMessages } from '@shardwalk/queries'
import { askSigned, type Offer, offeringServers } from './ask-signed.ts'
import { ConfirmedBlocks } from './confirmed-blocks.ts'
import { SignedBlock } from './signed-block.ts'

export interface WatcherOptions {
  /** The primary, where pending messages are. */
  readonly db: Db
  /** Undefined while there are no lite servers. */
  readonly node: () => NodeAccess | undefined
  readonly log: Logger
  readonly metrics: Metrics
  readonly signal: AbortSignal
  /** Messages that are awaited were received. */
  readonly onFound: () => void
}

/** Between two questions while messages are pending. Milliseconds. */
const POLL_MS = 250
/** While none is, or no server tells. */
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
 * Asks lite servers for signed blocks while messages are pending, and wakes the traces whose messages those
 * blocks received. Without a server that tells, it asks nothing. Any number of processes may watch.
 */
export class SignedBlockWatcher {
  readonly confirmed = new ConfirmedBlocks((server) => this.replaced(server))
  private readonly alarm = new Alarm()
  private readonly blocks
  private readonly replacedBy = new Map<string, number>()
  private readonly distrusted = new Map<string, number>()
  private readonly refused = new Set<string>()
  private readonly woken = new Map<string, number>()
  private turn = 0

  constructor(private readonly options: WatcherOptions) {
    const { metrics } = options
    this.blocks = metrics.counter(
      'confirmed_blocks_total',
      'Signed shard blocks of which lite servers told, by what became of them.',
      ['result'],
    )
    metrics.gauge(
      'confirmed_servers',
      'Lite servers that tell of shard blocks before the masterchain commits them.',
      [],
      (gauge) => gauge.set({}, this.servers.length),
    )
  }

  /** Lite servers that tell of signed blocks and may be believed. */
  get servers(): readonly string[] {
    const node = this.options.node()
    const now = performance.now()
    return node
      ? offeringServers(node.client.pool).filter((one) => (this.distrusted.get(one) ?? 0) <= now)
      : []
  }

  /** Messages were admitted. */
  wake(): void {
    this.alarm.ring()
  }

  async run(): Promise<void> {
    const { signal, log } = this.options
    await loopUntilAborted(() => this.step(), {
      signal,
      onError: (error) => log.debug('signed blocks are not known', { error }),
    })
  }

  private async step(): Promise<void> {
    const { db, signal, onFound } = this.options
    const node = this.options.node()
    const { servers } = this
    const awaited = node && servers.length > 0 ? await awaitedMessages(db) : []
    if (!node || awaited.length === 0) return this.alarm.wait(IDLE_MS, signal)
    await this.read(node, servers[this.turn++ % servers.length]!).catch((error: unknown) => {
      this.options.log.debug('a lite server does not tell of signed blocks', { error })
    })
    const messages = this.newlyFound(this.confirmed.receivedAmong(awaited))
    if (messages.length > 0) {
      await wakeAwaiting(db, messages)
      onFound()
    }
    await this.alarm.wait(POLL_MS, signal)
  }

  private newlyFound(messages: readonly Buffer[]): readonly Buffer[] {
    const now = performance.now()
    for (const [name, at] of this.woken) if (now - at > WAKE_AGAIN_MS) this.woken.delete(name)
    const found = messages.filter((message) => !this.woken.has(message.toString('base64')))
    for (const message of found) this.woken.set(message.toString('base64'), now)
    return found
  }

  private async read(node: NodeAccess, server: string): Promise<void> {
    const { pool } = node.client
    const offers = await askSigned(pool, server, this.options.signal)
    const tops = await node.shards.tops(await node.blocks.masterchain())
    for (const offer of offers) {
      const name = offer.id.rootHash.toString('base64')
      if (this.refused.has(name)) continue
      try {
        if (!(await this.take(offer, tops))) this.refuse(name)
      } catch (error) {
        if (error instanceof DecodeError) {
          this.refuse(name)
          pool.report(server, `a signed block: ${error.message}`)
        } else throw error
      }
    }
  }

  /** The block with those before it that are not final either. False: they do not lead to one that is. */
  private async take({ id, server, read }: Offer, tops: readonly ShardTop[]): Promise<boolean> {
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
      this.confirmed.add(block, { server, now: performance.now() })
      this.blocks.inc({ result: 'taken' })
    }
    return true
  }

  private refuse(name: string): void {
    this.blocks.inc({ result: 'refused' })
    if (this.refused.size >= MAX_REFUSED) this.refused.clear()
    this.refused.add(name)
  }

  private replaced(server: string): void {
    this.blocks.inc({ result: 'replaced' })
    const count = (this.replacedBy.get(server) ?? 0) + 1
    this.replacedBy.set(server, count % MAX_REPLACED)
    if (count < MAX_REPLACED) return
    this.distrusted.set(server, performance.now() + DISTRUST_MS)
    this.options.log.warn('a lite server told of blocks that did not become final', { server })
  }
}

/** Whether the masterchain committed a block of this height, which may be another one. */
const isCommitted = ({ workchain, shard, seqno }: BlockId, tops: readonly ShardTop[]): boolean =>
  tops.some(
    (top) =>
      top.workchain === workchain &&
      (shardContains(top.shard, shard) || shardContains(shard, top.shard)) &&
      top.seqno >= seqno,
  )
