import { setImmediate as turn } from 'node:timers/promises'
import { isProofNotFound, type LiteServerPool } from '@shardwalk/liteserver'
import { type BlockId, formatBlockId, formatShortId, sameBlock } from '@shardwalk/model'
import type { Logger } from '@shardwalk/observability'
import { BlockProofChecker, ProofError, verifyProgress } from '@shardwalk/proofs'
import { encodeAnswer, LITE_MODE, type LiteArguments, type LiteResults } from '@shardwalk/tl'
import type { TrustAnchors } from './anchors.ts'
import { NotProvableNow, OnlyFalseProofs } from './errors.ts'

const PROOF_MODE = LITE_MODE.blockProof.target | LITE_MODE.blockProof.relative
type Proof = LiteResults['liteServer.getBlockProof']

/** Servers, or what answers like them. */
export interface ProofPool extends Pick<LiteServerPool, 'lookupBlock'> {
  queryFrom(
    name: 'liteServer.getBlockProof',
    args: LiteArguments['liteServer.getBlockProof'],
    options: Parameters<LiteServerPool['queryFrom']>[2],
  ): Promise<{ readonly value: Proof; readonly server: string }>
  report(server: string, problem: string): void
}

export interface BlockProverOptions {
  readonly pool: ProofPool
  readonly anchors: TrustAnchors
  readonly log: Logger
  /** Called with key blocks as they are proven, oldest first: a restart continues from them. */
  readonly onKeyBlocks: (ids: readonly BlockId[]) => Promise<void>
}

/** How a block was proven. */
export interface ProvenPath {
  /** The trusted block it started from. */
  readonly from: BlockId
  /** Key blocks between the two. */
  readonly keyBlocks: readonly BlockId[]
  /** TL `liteServer.partialBlockProof` of the last steps, bytes in base64. */
  readonly lastProof: string
}

/** Number of invalid proofs of a step after which the remaining servers are tried later. */
const MAX_FALSE_PROOFS = 5
/** An answer has 16 links; a network has a few thousand key blocks a year. */
const MAX_ANSWERS = 10_000
/** Servers need long for an answer with sixteen sets of signatures. */
const TIMEOUT_MS = 20_000

interface Step {
  readonly at: BlockId
  readonly target: BlockId
  readonly server: string | undefined
}

/** Follows validators' signatures from a trusted block to any other, asking the servers of a pool. */
export class BlockProver {
  private readonly checker = new BlockProofChecker()

  constructor(private readonly options: BlockProverOptions) {}

  /**
   * Proves that the block belongs to the chain. Throws `NotProvableNow`, `OnlyFalseProofs`, or what the pool
   * throws. `server`: only this one is asked.
   */
  async prove(target: BlockId, signal: AbortSignal, server?: string): Promise<ProvenPath> {
    const from = this.options.anchors.nearest(target.seqno)
    const keyBlocks: BlockId[] = []
    let lastProof = ''
    let at = from
    for (let answers = 0; !sameBlock(at, target); answers++) {
      if (answers >= MAX_ANSWERS) throw new NotProvableNow(`no end of proofs from ${formatBlockId(from)}`)
      const proof = await this.step({ at, target, server }, signal)
      const passed = proof.steps
        .filter(({ toKeyBlock, to }) => toKeyBlock && to.seqno > 0)
        .map(({ to }) => to)
      for (const id of passed) this.options.anchors.add(id)
      await this.options.onKeyBlocks(passed)
      keyBlocks.push(...passed)
      lastProof = encodeAnswer('liteServer.getBlockProof', proof).toString('base64')
      at = proof.to
    }
    return { from, keyBlocks, lastProof }
  }

  /**
   * A checked proof from `at` towards the target. A server whose proof is false is reported, and another one
   * asked.
   */
  private async step({ at, target, server: only }: Step, signal: AbortSignal): Promise<Proof> {
    let falseProof: unknown
    for (let falseProofs = 0; falseProofs < MAX_FALSE_PROOFS; falseProofs++) {
      const { value, server } = await this.ask({ at, target, server: only }, signal)
      try {
        await this.check(value, at, target)
        return value
      } catch (error) {
        if (!(error instanceof ProofError)) throw error
        falseProof = error
        this.options.pool.report(server, `false block proof: ${error.message}`)
        if (only !== undefined) break
      }
    }
    throw new OnlyFalseProofs(`no server proved masterchain block ${target.seqno}`, { cause: falseProof })
  }

  private async ask({ at, target, server }: Step, signal: AbortSignal) {
    try {
      return await this.options.pool.queryFrom(
        'liteServer.getBlockProof',
        { mode: PROOF_MODE, knownBlock: at, targetBlock: target },
        {
          signal,
          timeoutMs: TIMEOUT_MS,
          mcBlockSeqno: Math.max(at.seqno, target.seqno),
          ...(server !== undefined && { server }),
        },
      )
    } catch (error) {
      if (!isProofNotFound(error)) throw error
      throw new NotProvableNow(
        `masterchain block ${formatShortId(target)} from ${at.seqno}: ${error.message}`,
        {
          cause: error,
        },
      )
    }
  }

  /**
   * Checks link by link, yielding in between: a hundred signatures take 10 ms, and an answer has sixteen
   * sets.
   */
  private async check(proof: Proof, from: BlockId, target: BlockId): Promise<void> {
    if (!sameBlock(proof.from, from))
      throw new ProofError('block proof', `starts at ${formatBlockId(proof.from)}`)
    let at = from
    for (const step of proof.steps) {
      at = this.checker.verify({ complete: true, from: at, to: step.to, steps: [step] }, at).to
      await turn()
    }
    if (!sameBlock(at, proof.to)) throw new ProofError('block proof', `ends at ${formatBlockId(at)}`)
    verifyProgress(proof, target)
  }
}
