import { createHash } from 'node:crypto'
import { type BlockId, FULL_SHARD } from '@shardwalk/model'
import {
  decodeFunction,
  decodeQuery,
  encodeAnswer,
  encodeError,
  type LiteCall,
  type WaitPrefix,
} from '@shardwalk/tl'
import type { AdnlServerOptions } from '../src/adnl/server.ts'
import { AdnlServer, type QueryContext, type ServerAddress } from '../src/index.ts'

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

/** Stands in for the file of masterchain block `seqno`; nothing here parses it. */
export const fileOf = (seqno: number): Buffer => Buffer.from(`file of block ${seqno} `.repeat(40))
export const idOf = (seqno: number): BlockId => ({
  workchain: -1,
  shard: FULL_SHARD,
  seqno,
  rootHash: sha256(Buffer.from(`root ${seqno}`)),
  fileHash: sha256(fileOf(seqno)),
})

/** A lite server over a chain of such blocks. */
export class FakeLiteServer {
  head: number
  /** Seqno of the oldest block it has. */
  oldest = 0
  readonly adnl: AdnlServer
  readonly asked: string[] = []
  address!: ServerAddress
  /** Overrides the answer to a call; undefined leaves it unchanged. */
  override: ((call: LiteCall) => Buffer | undefined) | undefined
  /** Like proxies that drop `waitMasterchainSeqno` and run the function at once. */
  ignoresWaits = false
  private readonly waiters = new Set<() => void>()

  constructor(head: number, options: Partial<AdnlServerOptions> = {}) {
    this.head = head
    this.adnl = new AdnlServer({ ...options, handler: (query, context) => this.answer(query, context) })
  }

  async start(port = 0): Promise<this> {
    this.address = await this.adnl.listen({ port })
    return this
  }

  advance(seqno: number): void {
    this.head = seqno
    for (const waiter of this.waiters) waiter()
  }

  private async answer(query: Buffer, { signal }: QueryContext): Promise<Buffer> {
    const { wait, functionBytes } = decodeQuery(query)
    if (wait && !this.ignoresWaits && !(await this.reached(wait, signal))) return encodeError(652, 'timeout')
    const call = decodeFunction(functionBytes)
    this.asked.push(call.name)
    return this.override?.(call) ?? this.run(call)
  }

  private reached({ seqno, timeoutMs }: WaitPrefix, signal: AbortSignal): Promise<boolean> {
    if (this.head >= seqno) return Promise.resolve(true)
    return new Promise((resolve) => {
      const settle = (reached: boolean) => {
        clearTimeout(timer)
        this.waiters.delete(look)
        resolve(reached)
      }
      const look = () => {
        if (this.head >= seqno) settle(true)
      }
      const timer = setTimeout(() => settle(false), timeoutMs)
      this.waiters.add(look)
      signal.addEventListener('abort', () => settle(false), { once: true })
    })
  }

  private run(call: LiteCall): Buffer {
    if (call.name === 'liteServer.getMasterchainInfo') {
      const zero = idOf(0)
      return encodeAnswer(call.name, { last: idOf(this.head), stateRootHash: zero.rootHash, init: zero })
    }
    if (call.name === 'liteServer.lookupBlock') {
      const missing = this.missing(call.args.id.seqno)
      return (
        missing ??
        encodeAnswer(call.name, { id: idOf(call.args.id.seqno), mode: 0, headerProof: Buffer.alloc(0) })
      )
    }
    if (call.name === 'liteServer.getBlock') {
      const { id } = call.args
      return this.missing(id.seqno) ?? encodeAnswer(call.name, { id, data: fileOf(id.seqno) })
    }
    if (call.name === 'liteServer.getTime') return encodeAnswer(call.name, { now: 1_700_000_000 })
    if (call.name === 'liteServer.sendMessage') return encodeAnswer(call.name, { status: 1 })
    return encodeError(621, 'unknown query')
  }

  private missing(seqno: number): Buffer | undefined {
    if (seqno >= this.oldest && seqno <= this.head) return undefined
    return encodeError(651, `cannot find block (-1,8000000000000000) seqno=${seqno}: seqno not in db`)
  }

  stop(): Promise<void> {
    return this.adnl.close()
  }
}
