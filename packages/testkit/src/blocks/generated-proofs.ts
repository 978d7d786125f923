import { createMerkleProof, parseRoot, serializeBoc } from '@shardwalk/cells'
import { type BlockId, MASTERCHAIN } from '@shardwalk/model'
import type { BlockLink, ValidatorSubset } from '@shardwalk/proofs'
import type { LiteResults } from '@shardwalk/tl'
import { loadBlockInfoOf } from '@shardwalk/tlb'
import type { ChainOptions } from './chain-options.ts'
import { generatedChain } from './generated-chain.ts'
import { signaturesOf, signedProof } from './signed-proof.ts'

type Forward = Extract<BlockLink, { readonly kind: 'liteServer.blockLinkForward' }>

interface SignedStep {
  readonly id: BlockId
  readonly isKey: boolean
  /** Header, and the configuration of a key block. */
  readonly proof: Buffer
  readonly validators: ValidatorSubset
}

/** Links in an answer. Source: node, validator/impl/liteserver.cpp. */
const MAX_LINKS = 16

/** What lite servers answer `liteServer.getBlockProof` with about a generated chain, from older to newer. */
export class GeneratedProofs {
  /** By seqno; the first is the zerostate. */
  readonly blocks: readonly SignedStep[]

  constructor(options: ChainOptions) {
    const blocks: SignedStep[] = []
    for (const { masterchain, validators, zerostates } of generatedChain(options)) {
      if (blocks.length === 0) {
        const { id, cell } = zerostates.get(MASTERCHAIN)!
        const proof = serializeBoc(createMerkleProof(cell, () => true))
        blocks.push({ id, isKey: true, proof, validators })
      }
      const { raw } = masterchain
      const isKey = loadBlockInfoOf(parseRoot(raw.bytes).slice()).info.keyBlock
      const proof = serializeBoc(parseRoot(signedProof(raw, { validators })).refs[0]!)
      blocks.push({ id: raw.id, isKey, proof, validators })
    }
    this.blocks = blocks
  }

  /** Signed by others than those in office if `signers` says so. */
  link(from: number, to: number, signers = this.blocks[to]!.validators): Forward {
    const [source, target] = [this.blocks[from]!, this.blocks[to]!]
    return {
      kind: 'liteServer.blockLinkForward',
      toKeyBlock: target.isKey,
      ...{ from: source.id, to: target.id, destProof: target.proof, configProof: source.proof },
      signatures: signaturesOf(target.id, { validators: signers }),
    }
  }

  /** From a key block to any newer block. */
  answer(from: number, to: number): LiteResults['liteServer.getBlockProof'] {
    const steps: Forward[] = []
    for (let at = from; at !== to && steps.length < MAX_LINKS; at = steps.at(-1)!.to.seqno) {
      const next = this.blocks.findIndex(({ isKey }, seqno) => seqno > at && (isKey || seqno === to))
      steps.push(this.link(at, next))
    }
    const end = steps.at(-1)?.to ?? this.blocks[from]!.id
    return { complete: end.seqno === to, from: this.blocks[from]!.id, to: end, steps }
  }
}
