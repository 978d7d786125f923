import type { BlockId } from '@shardwalk/model'
import type { AskOptions, BlockSource, WaitOptions } from '@shardwalk/pipeline'

/** How long the second source is not asked, for blocks of the head and of history. */
const URGENT_MS = 500
const HISTORY_MS = 8_000
const OTHER_MS = 5_000

/**
 * Two sources of one chain: what the first does not give in time, the second is asked for as well. Blocks are
 * named by hashes, so it does not matter which of them answers; the head is that of the quicker one.
 */
export class FallbackSource implements BlockSource {
  readonly name: string

  constructor(
    private readonly first: BlockSource,
    private readonly second: BlockSource,
  ) {
    this.name = `${first.name} and ${second.name}`
  }

  zerostateId(): Promise<BlockId> {
    return this.first.zerostateId()
  }

  async head(options: WaitOptions = {}): Promise<BlockId> {
    return this.either((source, signal) => source.head({ ...options, signal }), 0, options)
  }

  /** A source that fails does not fail the wait while the other one waits. */
  async waitForMasterchain(seqno: number, options: WaitOptions): Promise<BlockId | undefined> {
    const stopping = new AbortController()
    const { signal = stopping.signal } = options
    const both = { ...options, signal: AbortSignal.any([signal, stopping.signal]) }
    const waits = [this.first, this.second].map((source) => source.waitForMasterchain(seqno, both))
    try {
      return await Promise.any(
        waits.map((wait) => wait.then((id) => id ?? Promise.reject(new Error('none')))),
      )
    } catch {
      signal.throwIfAborted()
      const ended = await Promise.allSettled(waits)
      if (ended.some(({ status }) => status === 'fulfilled')) return undefined
      return await waits[0]
    } finally {
      stopping.abort(new Error('the other source was quicker'))
    }
  }

  masterchainBlockId(seqno: number, options: AskOptions = {}): Promise<BlockId> {
    const afterMs = options.urgent ? URGENT_MS : HISTORY_MS
    return this.either(
      (source, signal) => source.masterchainBlockId(seqno, { ...options, signal }),
      afterMs,
      options,
    )
  }

  getBlock(id: BlockId, options: AskOptions = {}): Promise<Buffer> {
    const afterMs = options.urgent ? URGENT_MS : HISTORY_MS
    return this.either((source, signal) => source.getBlock(id, { ...options, signal }), afterMs, options)
  }

  globalVersionAtKeyBlock(seqno: number, options: WaitOptions = {}): Promise<number> {
    return this.either(
      (source, signal) => source.globalVersionAtKeyBlock(seqno, { ...options, signal }),
      OTHER_MS,
      options,
    )
  }

  async getZerostate(workchain: number, options: WaitOptions = {}): Promise<Buffer | undefined> {
    const found = await this.first.getZerostate(workchain, options).catch(() => undefined)
    return found ?? this.second.getZerostate(workchain, options)
  }

  /** The first answer; the second source is asked after `afterMs`, or when the first one fails. */
  private either<T>(
    ask: (source: BlockSource, signal: AbortSignal) => Promise<T>,
    afterMs: number,
    { signal }: WaitOptions,
  ): Promise<T> {
    const stopping = new AbortController()
    const both = signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal
    let askSecond: () => void = () => {}
    const isTime = new Promise<void>((resolve) => {
      askSecond = resolve
    })
    const timer = setTimeout(askSecond, afterMs)
    const first = ask(this.first, both)
    first.catch(askSecond)
    const second = isTime.then(() => {
      both.throwIfAborted()
      return ask(this.second, both)
    })
    return Promise.any([first, second])
      .catch((error: AggregateError) => {
        signal?.throwIfAborted()
        throw error.errors[1]
      })
      .finally(() => {
        clearTimeout(timer)
        stopping.abort(new Error('the other source was quicker'))
        askSecond()
      })
  }

  async close(): Promise<void> {
    await Promise.all([this.first.close(), this.second.close()])
  }
}
