import { LiteServerError, type LiteServerPool, type QueryOptions, WrongAnswer } from '@shardwalk/liteserver'
import { type BlockId, masterchainId, sameBlock } from '@shardwalk/model'
import { blockOfProofs, recordedBlockProofs } from '@shardwalk/testkit/recorded-block-proofs'
import type { LiteArguments, LiteResults } from '@shardwalk/tl'

export type Proof = LiteResults['liteServer.getBlockProof']
type Asked = LiteArguments['liteServer.getBlockProof']

const recorded = recordedBlockProofs()

/** A block at either end of a recorded proof. */
export const recordedBlock = (seqno: number): BlockId => blockOfProofs(recorded, seqno)

export const inventedBlock = (seqno: number, byte = 0xee): BlockId => ({
  ...masterchainId(seqno),
  rootHash: Buffer.alloc(32, byte),
  fileHash: Buffer.alloc(32, byte),
})

/** Answers with a recorded proof; undefined is a refusal. */
export function honest({ knownBlock, targetBlock }: Asked): Proof | undefined {
  return recorded.find(
    ({ asked }) =>
      sameBlock(asked.knownBlock, knownBlock) &&
      asked.targetBlock !== undefined &&
      sameBlock(asked.targetBlock, targetBlock!),
  )?.proof
}

/** Stands in for a pool whose servers are asked in order for proofs of blocks. */
export class BlockProofServers {
  /** Names of servers that were reported and are not asked again. */
  readonly reported: string[] = []
  readonly asked: Asked[] = []

  constructor(private readonly answers: Readonly<Record<string, (asked: Asked) => Proof | undefined>>) {}

  get pool(): LiteServerPool {
    return this as unknown as LiteServerPool
  }

  async queryFrom(
    name: 'liteServer.getBlockProof',
    args: Asked,
    options: QueryOptions<'liteServer.getBlockProof'>,
  ): Promise<{ readonly value: Proof; readonly server: string }> {
    this.asked.push(args)
    let last: unknown
    for (const [server, answer] of Object.entries(this.answers)) {
      if (this.reported.includes(server) || (options.server && options.server !== server)) continue
      const value = answer(args)
      const problem = value && options.check?.(value)
      if (value && !problem) return { value, server }
      if (problem) this.report(server)
      last = problem
        ? new WrongAnswer(server, name, problem)
        : new LiteServerError(server, name, 651, 'block is not known')
    }
    throw last
  }

  report(server: string): void {
    this.reported.push(server)
  }

  servers(): readonly never[] {
    return []
  }
}
