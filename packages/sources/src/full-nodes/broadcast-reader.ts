import { ThreadPool, threadCpuMs } from '@shardwalk/concurrency'
import {
  type BlockBroadcast,
  isCompressed,
  type ReceivedBlock,
  readBlockBroadcast,
} from '@shardwalk/full-node'
import { IndexerError } from '@shardwalk/model'
import { encodeUnion, tonNodeBroadcast } from '@shardwalk/tl'
import type { ReadInThread } from './broadcast-thread.ts'

/** More broadcasts of a sender than are read in time. Blocks are asked for instead. */
class TooManyBroadcasts extends IndexerError {
  readonly code = 'too_many_broadcasts'
  readonly retry = 'later'
}

/** Broadcasts of one authority that are read or wait for it. */
const MAX_OPEN = 8
/**
 * Share of a core that all senders without an authority get together, and how much of it at once. Only time
 * on a processor counts: that the machine is busy is not their doing.
 */
const UNSIGNED_SHARE = 0.1
const UNSIGNED_BURST_MS = 500
/** Least time that is counted for a broadcast of theirs: signatures are verified in it. */
const LEAST_MS = 5
/** The largest blocks take a second. */
const DEADLINE_MS = 5_000
/** A million cells, the most that a block may have. */
const MAX_HEAP_MIB = 512

const NO_AUTHORITY = 'none'

/**
 * Reads blocks of broadcasts, compressed ones beside the thread that receives datagrams. Anybody may send
 * broadcasts: those that no validator has authorised have a thread of their own, and little time.
 */
export class BroadcastReader {
  private readonly threads = new Map<boolean, ThreadPool<Buffer, ReadInThread>>()
  private readonly open = new Map<string, number>()
  /** When senders without an authority have regained the time that they used. Monotonic milliseconds. */
  private unsignedEvenAt = 0
  private isClosed = false

  /** `cpuMs`: milliseconds for which the thread has run. */
  constructor(
    private readonly now: () => number = () => performance.now(),
    private readonly cpuMs: () => number = threadCpuMs,
  ) {}

  /** Throws `TooManyBroadcasts`, or what `readBlockBroadcast` throws. */
  async read(broadcast: BlockBroadcast, authority: string | undefined): Promise<ReceivedBlock> {
    if (!isCompressed(broadcast)) return this.spend(authority, () => readBlockBroadcast(broadcast))
    const name = authority ?? NO_AUTHORITY
    const open = this.open.get(name) ?? 0
    if (open >= MAX_OPEN || this.isClosed) throw new TooManyBroadcasts(`${open} broadcasts are being read`)
    const end = this.begin(authority)
    this.open.set(name, open + 1)
    try {
      const read = await this.readInThread(broadcast, authority)
      end(read.cpuMs)
      if ('error' in read) throw read.error
      return withBuffers(read.block, broadcast)
    } finally {
      const left = this.open.get(name)! - 1
      if (left > 0) this.open.set(name, left)
      else this.open.delete(name)
    }
  }

  /** What the thread dies of counts as if it had worked until its deadline. */
  private readInThread(broadcast: BlockBroadcast, authority: string | undefined): Promise<ReadInThread> {
    const reading = this.threadOf(authority).run(encodeUnion(tonNodeBroadcast, broadcast))
    return reading.catch((error) => ({ error: error as Error, cpuMs: DEADLINE_MS }))
  }

  /** What `work` returns, whose time is that of the authority. Throws `TooManyBroadcasts` if it has none. */
  spend<T>(authority: string | undefined, work: () => T): T {
    const end = this.begin(authority)
    const before = this.cpuMs()
    try {
      return work()
    } finally {
      end(this.cpuMs() - before)
    }
  }

  private begin(authority: string | undefined): (cpuMs: number) => void {
    if (authority !== undefined) return () => {}
    if (this.unsignedEvenAt - this.now() > UNSIGNED_BURST_MS / UNSIGNED_SHARE)
      throw new TooManyBroadcasts('senders without an authority have used up their time')
    this.charge(LEAST_MS)
    return (cpuMs) => this.charge(Math.max(0, cpuMs - LEAST_MS))
  }

  private charge(ms: number): void {
    this.unsignedEvenAt = Math.max(this.unsignedEvenAt, this.now()) + ms / UNSIGNED_SHARE
  }

  private threadOf(authority: string | undefined): ThreadPool<Buffer, ReadInThread> {
    const isUnsigned = authority === undefined
    let thread = this.threads.get(isUnsigned)
    if (!thread) {
      const script = new URL('./broadcast-thread.ts', import.meta.url)
      thread = new ThreadPool(script, 1, { deadlineMs: DEADLINE_MS, maxHeapMib: MAX_HEAP_MIB })
      this.threads.set(isUnsigned, thread)
    }
    return thread
  }

  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all([...this.threads.values()].map((thread) => thread.close()))
  }
}

/** What threads send are plain arrays. */
function withBuffers({ bytes, proof, signatures }: ReceivedBlock, { id }: BlockBroadcast): ReceivedBlock {
  const block = { id, bytes: asBuffer(bytes), proof: asBuffer(proof) }
  if (signatures?.kind !== 'liteServer.signatureSet.ordinary') return block
  const signed = signatures.signatures.map(({ nodeIdShort, signature }) => ({
    nodeIdShort: asBuffer(nodeIdShort),
    signature: asBuffer(signature),
  }))
  return { ...block, signatures: { ...signatures, signatures: signed } }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)
