import { type BlockId, sameBlock } from '@shardwalk/model'
import { BlockProofChecker, verifyProgress } from '@shardwalk/proofs'
import { LITE_MODE } from '@shardwalk/tl'
import { expect, test } from 'vitest'
import { servedChain } from './served-chain.ts'

const STEPS = 48
const SIMPLEX_FROM = 24
const ENDS = [0, 1, SIMPLEX_FROM - 1, SIMPLEX_FROM, STEPS]

test('any block proves any other one although key blocks change who signs', async () => {
  const { recording, pool, close } = await servedChain({
    ...{ seed: 91, steps: STEPS, accounts: 2, transactions: 1, keyBlocks: 0.5 },
    ...{ validatorChanges: 0.8, simplexFrom: SIMPLEX_FROM },
  })
  const idOf = (seqno: number): BlockId =>
    seqno === 0 ? recording.network.zerostate : recording.step(seqno)!.block.id
  const mode = LITE_MODE.blockProof.target | LITE_MODE.blockProof.relative
  const sets = new Set<number>()
  try {
    for (const from of ENDS)
      for (const target of ENDS.map(idOf)) {
        const checker = new BlockProofChecker()
        for (let at = idOf(from); !sameBlock(at, target); ) {
          const asked = { mode, knownBlock: at, targetBlock: target }
          const proof = await pool.query('liteServer.getBlockProof', asked)
          checker.verify(proof, at)
          verifyProgress(proof, target)
          for (const link of proof.steps)
            if (link.kind === 'liteServer.blockLinkForward') sets.add(link.signatures.validatorSetHash)
          at = proof.to
        }
      }
    expect(sets.size).toBeGreaterThan(10)
  } finally {
    await close()
  }
})
