import { setTimeout as delay } from 'node:timers/promises'
import { withDeadline } from '@shardwalk/concurrency'
import { isProofNotFound, type ReportedHead } from '@shardwalk/liteserver'
import { type BlockId, formatBlockId } from '@shardwalk/model'
import { AsyncCache } from '../async-cache.ts'
import { callScope } from '../call-scope.ts'
import { NodeAccessError } from '../errors.ts'
import type { LiteClient } from '../lite-client.ts'
import type { TrustedHead } from './trusted-head.ts'

type Trust = Pick<TrustedHead, 'latest' | 'latestKeyBlock' | 'proveHead'>

export interface HeadsOptions {
  readonly client: LiteClient
  /** Newest indexed masterchain block; heads are never older. */
  readonly indexedSeqno: () => Promise<number | undefined>
  /** Undefined: heads are used as servers report them. */
  readonly trust?: Trust | undefined
  /** A proof that takes longer is not waited for if an older head is proven. Default 1 s. */
  readonly promptMs?: number
  /**
   * A server that has no proof of its head after this time is reported: servers behind a proxy may be seconds
   * behind each other. Default 10 s.
   */
  readonly graceMs?: number
}

/** How long to wait for lite servers that are behind the index. Milliseconds. */
const CATCH_UP_MS = 5000
const PROMPT_MS = 1000
const GRACE_MS = 10_000
/** Maximum age, in blocks, of a proven head that is used when no newer one can be proven in time. */
const MAX_TRUSTED_LAG = 20
/** More proofs than there are servers. */
const MAX_PROOFS = 64

interface RunningProof {
  readonly head: ReportedHead
  /** `performance.now()` from which on its proof takes too long. */
  readonly lateAt: number
}

/** The newest masterchain block. */
export class Heads {
  private readonly proofs = new AsyncCache<BlockId>(MAX_PROOFS)
  private readonly running = new Map<string, RunningProof>()

  constructor(private readonly options: HeadsOptions) {}

  /** The newest block that servers report, proven or not; undefined until one has reported its head. */
  reported(): BlockId | undefined {
    return this.options.client.pool.head()
  }

  /**
   * The newest block, at least as new as the newest indexed one. With an anchor, it is proven by signatures.
   */
  async newest(): Promise<BlockId> {
    const { trust, indexedSeqno } = this.options
    const indexed = (await indexedSeqno().catch(() => undefined)) ?? 0
    await this.catchUp(indexed)
    const reported = this.options.client.pool.heads()
    const heads = reported.filter(({ id }) => id.seqno >= indexed)
    const [head] = heads
    if (!head)
      throw new NodeAccessError('head_not_available', `no lite server has masterchain block ${indexed}`)
    if (!trust) return head.id
    const oldest = Math.max(indexed, seqnoOfHalf(reported) - MAX_TRUSTED_LAG)
    return this.newestProven(trust, heads, { indexed, oldest })
  }

  private async catchUp(indexed: number): Promise<void> {
    const { pool } = this.options.client
    const head = pool.head()
    if (head && head.seqno >= indexed) return
    const { signal } = callScope()
    await pool.waitMasterchainSeqno(Math.max(indexed, 1), {
      timeoutMs: CATCH_UP_MS,
      ...(signal && { signal }),
    })
  }

  /**
   * A server may have made up its head. If the proof fails or takes long, the next older head is proven, down
   * to the newest proven block, which is used unless it is older than `oldest`.
   */
  private async newestProven(
    trust: Trust,
    heads: readonly ReportedHead[],
    { indexed, oldest }: { readonly indexed: number; readonly oldest: number },
  ): Promise<BlockId> {
    const proofs: Promise<BlockId>[] = []
    for (const head of heads) {
      if (head !== heads[0] && head.id.seqno <= trust.latest.seqno) break
      if (this.isDoubted(head)) continue
      const proof = this.prove(trust, head)
      if (await this.isInTime(proof, head)) return head.id
      proofs.push(proof)
    }
    if (trust.latest.seqno >= oldest) return trust.latest
    for (const { head } of this.running.values())
      if (head.id.seqno >= indexed) proofs.push(this.prove(trust, head))
    return firstOf(proofs)
  }

  /** Whether each server that reports the head also reports one whose proof already takes too long. */
  private isDoubted({ servers }: ReportedHead): boolean {
    const now = performance.now()
    const doubted = [...this.running.values()]
      .filter(({ lateAt }) => lateAt <= now)
      .flatMap(({ head }) => head.servers)
    return servers.every((server) => doubted.includes(server))
  }

  private async isInTime(proof: Promise<BlockId>, { id }: ReportedHead): Promise<boolean> {
    const lateAt = this.running.get(formatBlockId(id))?.lateAt
    const done = proof.then(() => true)
    if (lateAt === undefined) return done.catch(() => false)
    const ms = Math.max(0, lateAt - performance.now())
    return withDeadline(done, ms, () => new Error('not proven in time')).catch(() => false)
  }

  private prove(trust: Trust, head: ReportedHead): Promise<BlockId> {
    const { promptMs = PROMPT_MS, graceMs = GRACE_MS } = this.options
    const key = formatBlockId(head.id)
    return this.proofs.get(key, async () => {
      const startedAt = performance.now()
      this.running.set(key, { head, lateAt: startedAt + promptMs })
      try {
        await trust.proveHead(head.id)
        return head.id
      } catch (error) {
        if (isProofNotFound(error)) await this.reportInventors(trust, head, startedAt + graceMs)
        throw error
      } finally {
        this.running.delete(key)
      }
    })
  }

  /** Others may refuse because they are behind; a server can prove its own head from an older key block. */
  private async reportInventors(trust: Trust, { id, servers }: ReportedHead, at: number): Promise<void> {
    const { pool } = this.options.client
    await delay(Math.max(0, at - performance.now()), undefined, { ref: false })
    if (id.seqno <= trust.latestKeyBlock.seqno) return
    const ready = pool.readyServers()
    const ask = async (server: string) => {
      const error = await trust.proveHead(id, { server }).catch((thrown: unknown) => thrown)
      if (isProofNotFound(error)) pool.report(server, `has no proof of its head ${formatBlockId(id)}`)
    }
    await Promise.all(servers.filter((server) => ready.includes(server)).map(ask))
  }
}

/** The first head that is proven; if none is, the error of the first proof. */
async function firstOf(proofs: readonly Promise<BlockId>[]): Promise<BlockId> {
  return Promise.any(proofs).catch(({ errors }: AggregateError) => {
    throw errors[0] ?? new NodeAccessError('head_not_available', 'no lite server proves its head')
  })
}

/** What half of the servers have reached: a single one cannot make a proven head look old. */
function seqnoOfHalf(heads: readonly ReportedHead[]): number {
  const seqnos = heads.flatMap(({ id, servers }) => servers.map(() => id.seqno))
  return seqnos[Math.floor(seqnos.length / 2)] ?? 0
}
