import { abortWith } from '@shardwalk/concurrency'
import type { BlockId } from '@shardwalk/model'
import type { AskOptions, BlockSource, ProveHead, VersionOptions, WaitOptions } from '@shardwalk/pipeline'

/** How long the second source is not asked, for blocks of the head and of history. */
const URGENT_MS = 500
const HISTORY_MS = 8_000
const OTHER_MS = 5_000
/** While the first source is late, both are asked at once, except for one question in this time. */
const PROBE_EVERY_MS = 60_000

/** How long the first source is waited for: once it was late not at all, until it is the quicker one. */
class Patience {
  private probeAt: number | undefined

  constructor(private readonly ms: number) {}

  /** Milliseconds for the next question. */
  next(): number {
    if (this.probeAt === undefined) return this.ms
    const now = performance.now()
    if (now < this.probeAt) return 0
    this.probeAt = now + PROBE_EVERY_MS
    return this.ms
  }

  rewarded(): void {
    this.probeAt = undefined
  }

  lost(): void {
    this.probeAt ??= performance.now() + PROBE_EVERY_MS
  }
}

/**
 * Two sources of one chain: what the first does not give in time, the second is asked for as well. Blocks are
 * named by hashes, so it does not matter which of them answers; the head is that of the quicker one.
 */
export class FallbackSource implements BlockSource {
  readonly name: string
  private readonly urgent = new Patience(URGENT_MS)
  private readonly history = new Patience(HISTORY_MS)
  private readonly other = new Patience(OTHER_MS)
  private readonly none = new Patience(0)

  constructor(
    private readonly first: BlockSource,
    private readonly second: BlockSource,
    /** Called with the name of the source that was the first to have an awaited block. */
    private readonly onFirst: (name: string) => void = () => {},
  ) {
    this.name = `${first.name} and ${second.name}`
  }

  zerostateId(): Promise<BlockId> {
    return this.first.zerostateId()
  }

  proveHeadsWith(prove: ProveHead): void {
    for (const source of [this.first, this.second]) source.proveHeadsWith?.(prove)
  }

  async head(options: WaitOptions = {}): Promise<BlockId> {
    return this.either((source, signal) => source.head({ ...options, signal }), this.none, options)
  }

  /** A source that fails does not fail the wait while the other one waits. */
  async waitForMasterchain(seqno: number, options: WaitOptions): Promise<BlockId | undefined> {
    const { signal } = options
    const stopping = new AbortController()
    const unlink = signal && abortWith(stopping, signal)
    const both = { ...options, signal: stopping.signal }
    const sources = [this.first, this.second]
    const waits = sources.map((source) => source.waitForMasterchain(seqno, both))
    const found = waits.map(async (wait, index) => {
      const id = await wait
      if (!id) throw new Error('none')
      return { id, name: sources[index]!.name }
    })
    try {
      const { id, name } = await Promise.any(found)
      this.onFirst(name)
      return id
    } catch {
      signal?.throwIfAborted()
      const ended = await Promise.allSettled(waits)
      if (ended.some(({ status }) => status === 'fulfilled')) return undefined
      return await waits[0]
    } finally {
      unlink?.()
      stopping.abort(new Error('the other source was quicker'))
    }
  }

  masterchainBlockId(seqno: number, options: AskOptions = {}): Promise<BlockId> {
    return this.either(
      (source, signal) => source.masterchainBlockId(seqno, { ...options, signal }),
      options.urgent ? this.urgent : this.history,
      options,
    )
  }

  getBlock(id: BlockId, options: AskOptions = {}): Promise<Buffer> {
    return this.either(
      (source, signal) => source.getBlock(id, { ...options, signal }),
      options.urgent ? this.urgent : this.history,
      options,
    )
  }

  globalVersionAtKeyBlock(keyBlock: BlockId, options: VersionOptions = {}): Promise<number> {
    return this.either(
      (source, signal) => source.globalVersionAtKeyBlock(keyBlock, { ...options, signal }),
      this.other,
      options,
    )
  }

  async getZerostate(id: BlockId, options: WaitOptions = {}): Promise<Buffer | undefined> {
    const found = await this.first.getZerostate(id, options).catch(() => undefined)
    return found ?? this.second.getZerostate(id, options)
  }

  /** The first answer; the second source is asked when patience ends, or when the first one fails. */
  private either<T>(
    ask: (source: BlockSource, signal: AbortSignal) => Promise<T>,
    patience: Patience,
    { signal }: WaitOptions,
  ): Promise<T> {
    const stopping = new AbortController()
    const unlink = signal && abortWith(stopping, signal)
    const both = stopping.signal
    let askSecond: () => void = () => {}
    const isTime = new Promise<void>((resolve) => {
      askSecond = resolve
    })
    const timer = setTimeout(askSecond, patience.next())
    const first = ask(this.first, both)
    const second = isTime.then(() => {
      both.throwIfAborted()
      return ask(this.second, both)
    })
    adapt(patience, first, second)
    first.catch(askSecond)
    return Promise.any([first, second])
      .catch((error: AggregateError) => {
        signal?.throwIfAborted()
        throw error.errors[1]
      })
      .finally(() => {
        clearTimeout(timer)
        unlink?.()
        stopping.abort(new Error('the other source was quicker'))
        askSecond()
      })
  }

  async close(): Promise<void> {
    await Promise.all([this.first.close(), this.second.close()])
  }
}

/** Patience has paid off if the first source answers, and not if the second one answers before it. */
function adapt(patience: Patience, first: Promise<unknown>, second: Promise<unknown>): void {
  let hasFailed = false
  first.then(
    () => patience.rewarded(),
    () => {
      hasFailed = true
    },
  )
  second.then(
    () => hasFailed || patience.lost(),
    () => {},
  )
}
