import { setMaxListeners } from 'node:events'
import { untilFound } from '@shardwalk/concurrency'
import type { LiteServerPool, ReportedHead } from '@shardwalk/liteserver'
import type { BlockId } from '@shardwalk/model'
import type { ProveHead, WaitOptions } from '@shardwalk/pipeline'

/** Heads of servers that follow the same chain differ by less. Masterchain blocks. */
const NEAR = 32
/** How long to wait for a head that can be believed, before the oldest one is. Milliseconds. */
const PATIENCE_MS = 10_000
/** A server that could not prove its head is asked for the next proof after this. Milliseconds. */
const AGAIN_MS = 10_000
const DEFAULT_WAIT_MS = 10_000

export interface CredibleHeadOptions {
  readonly pool: Pick<LiteServerPool, 'heads' | 'onHead' | 'size'>
  /** See `PATIENCE_MS`. */
  readonly patienceMs?: number | undefined
}

/**
 * The newest head that is not merely the claim of one server: another server is near it, or the server proves
 * it by signatures. A source that followed an invented block would wait for it for ever.
 */
export class CredibleHead {
  private prove: ProveHead | undefined
  /** Newest proven head of each server that had to prove one. */
  private readonly proven = new Map<string, number>()
  private readonly proving = new Set<string>()
  /** Seqno of the newest head that was credible. */
  private believed = Number.NEGATIVE_INFINITY
  private unconfirmedSince: number | undefined
  private readonly listeners = new Set<() => void>()
  private readonly closing = new AbortController()

  constructor(private readonly options: CredibleHeadOptions) {
    // Every proof adds listeners.
    setMaxListeners(0, this.closing.signal)
  }

  /** Sets how heads are proven. Until it is called, the newest head counts as credible. */
  proveWith(prove: ProveHead): void {
    this.prove = prove
  }

  /** The newest credible head; undefined while no server is ready or none of the heads is credible yet. */
  newest(): BlockId | undefined {
    const { pool, patienceMs = PATIENCE_MS } = this.options
    const heads = pool.heads()
    if (!this.prove || pool.size < 2) return heads[0]?.id
    const credible = heads.find((head) => this.isCredible(head, heads))
    for (const head of heads) {
      this.askForProof(head, heads)
      if (head === credible) break
    }
    if (credible || heads.length === 0) this.unconfirmedSince = undefined
    else this.unconfirmedSince ??= performance.now()
    if (credible) return credible.id
    const isLate = performance.now() - (this.unconfirmedSince ?? Number.POSITIVE_INFINITY) >= patienceMs
    return isLate ? heads.at(-1)!.id : undefined
  }

  private isCredible(head: ReportedHead, heads: readonly ReportedHead[]): boolean {
    const { seqno } = head.id
    if (isBacked(head, heads) || head.servers.some((server) => this.provenOf(server) + NEAR >= seqno)) {
      this.believed = Math.max(this.believed, seqno)
      return true
    }
    return seqno <= this.believed + NEAR
  }

  private provenOf(server: string): number {
    return this.proven.get(server) ?? Number.NEGATIVE_INFINITY
  }

  /** Of a head that no other server is near; well before the last proof is out of date. */
  private askForProof(head: ReportedHead, heads: readonly ReportedHead[]): void {
    if (isBacked(head, heads)) return
    for (const server of head.servers)
      if (!this.proving.has(server) && this.provenOf(server) + NEAR / 2 < head.id.seqno)
        void this.proveHead(head.id, server)
  }

  private async proveHead(id: BlockId, server: string): Promise<void> {
    const { signal } = this.closing
    this.proving.add(server)
    try {
      await this.prove!(id, { server, signal })
      this.proven.set(server, id.seqno)
      this.proving.delete(server)
    } catch {
      // The prover reports false proofs; without one the server may only be slow.
      setTimeout(() => this.proving.delete(server), AGAIN_MS).unref()
    }
    for (const listener of [...this.listeners]) listener()
  }

  /** The newest head, as soon as it has at least this seqno; undefined when `timeoutMs` passes first. */
  wait(seqno: number, { timeoutMs = DEFAULT_WAIT_MS, signal }: WaitOptions): Promise<BlockId | undefined> {
    const { pool, patienceMs = PATIENCE_MS } = this.options
    return untilFound({
      look: () => {
        const head = this.newest()
        return head && head.seqno >= seqno ? head : undefined
      },
      listen: (onEvent) => {
        // The end of the patience causes no event.
        const ticking = setInterval(onEvent, Math.min(patienceMs, 1_000))
        const stopListening = pool.onHead(onEvent)
        this.listeners.add(onEvent)
        return () => {
          clearInterval(ticking)
          stopListening()
          this.listeners.delete(onEvent)
        }
      },
      timeoutMs,
      signals: [this.closing.signal, signal],
    })
  }

  close(): void {
    this.closing.abort(new Error('the source is closed'))
  }
}

/** Whether more than one server reports it, or one about as new. */
const isBacked = (head: ReportedHead, heads: readonly ReportedHead[]): boolean =>
  head.servers.length > 1 ||
  heads.some((other) => other !== head && Math.abs(other.id.seqno - head.id.seqno) <= NEAR)
