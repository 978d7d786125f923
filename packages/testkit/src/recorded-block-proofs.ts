import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { BlockId } from '@shardwalk/model'
import { decodeAnswer, decodeFunction, type LiteArguments, type LiteResults } from '@shardwalk/tl'

type Proof = LiteResults['liteServer.getBlockProof']

export interface RecordedBlockProof {
  readonly asked: LiteArguments['liteServer.getBlockProof']
  readonly proof: Proof
}

const FILE = new URL('../../../fixtures/chain/liteserver-answers/block-proofs.json.gz', import.meta.url)

/** Proofs of blocks that a node of the sample network gave: fixtures/chain/liteserver-answers. */
export function recordedBlockProofs(): readonly RecordedBlockProof[] {
  const { entries } = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as {
    readonly entries: readonly { readonly query: string; readonly answer: string }[]
  }
  return entries.map(({ query, answer }) => {
    const decoded = decodeAnswer('liteServer.getBlockProof', Buffer.from(answer, 'hex'))
    if (!decoded.ok) throw new Error(decoded.error.message)
    const { args } = decodeFunction(Buffer.from(query, 'hex'))
    return { asked: args as RecordedBlockProof['asked'], proof: decoded.value }
  })
}

/** A block at either end of one of the proofs. */
export const blockOfProofs = (proofs: readonly RecordedBlockProof[], seqno: number): BlockId =>
  proofs.flatMap(({ proof }) => [proof.from, proof.to]).find((id) => id.seqno === seqno)!
