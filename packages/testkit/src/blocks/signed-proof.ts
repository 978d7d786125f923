import { hash } from 'node:crypto'
import { shortId } from '@shardwalk/adnl'
import { type Cell, createMerkleProof, parseRoot, serializeBoc } from '@shardwalk/cells'
import type { BlockId, RawBlock } from '@shardwalk/model'
import type { SignatureSet, ValidatorSubset } from '@shardwalk/proofs'
import { encodeBlockProof } from '@shardwalk/sources'
import { encodeCandidateHashData, encodeFinalizeVote, encodeSignedBlockId } from '@shardwalk/tl'
import { keyOf, ValidatorRounds } from './validators.ts'

interface Signing {
  /** Default: those of chains in which they do not change. */
  readonly validators?: ValidatorSubset
  readonly isSimplex?: boolean
}

/** Proof file of a masterchain block: its header, the configuration of a key block, and signatures. */
export function signedProof({ id, bytes }: RawBlock, signing: Signing = {}): Buffer {
  const root = parseRoot(bytes)
  const shown = shownCells(root)
  const proof = createMerkleProof(root, (cell) => shown.has(cell))
  return encodeBlockProof(id, serializeBoc(proof), signaturesOf(id, signing))
}

const UNCHANGED = new ValidatorRounds(0).subset()

/** Signatures of all of the validators. */
export const signaturesOf = (
  id: BlockId,
  { validators = UNCHANGED, isSimplex = false }: Signing,
): SignatureSet => (isSimplex ? simplexSet(id, validators) : ordinarySet(id, validators))

const signAll = ({ members }: ValidatorSubset, message: Buffer) =>
  members.map((member) => {
    const key = keyOf(member)
    return { nodeIdShort: shortId(key.publicKey), signature: key.sign(message) }
  })

const ordinarySet = (id: BlockId, validators: ValidatorSubset): SignatureSet => ({
  kind: 'liteServer.signatureSet.ordinary' as const,
  catchainSeqno: validators.catchainSeqno,
  validatorSetHash: validators.listHash,
  signatures: signAll(validators, encodeSignedBlockId(id)),
})

/** The candidate of every other block is an empty one, which repeats the block in a later slot. */
function simplexSet(id: BlockId, validators: ValidatorSubset): SignatureSet {
  const sessionId = hash('sha256', 'generated session', 'buffer')
  const slot = 3 * id.seqno
  const parent = { slot: slot - 1, hash: hash('sha256', `candidate ${slot - 1}`, 'buffer') }
  const candidate = encodeCandidateHashData(
    id.seqno % 2 === 0
      ? { kind: 'consensus.candidateHashDataEmpty', block: id, parent }
      : {
          ...{ kind: 'consensus.candidateHashDataOrdinary', block: id, collatedFileHash: id.rootHash },
          parent: { kind: 'consensus.candidateParent', id: { kind: 'consensus.candidateId', ...parent } },
        },
  )
  const vote = encodeFinalizeVote(sessionId, slot, hash('sha256', candidate, 'buffer'))
  return {
    kind: 'liteServer.signatureSet.simplex' as const,
    ccSeqno: validators.catchainSeqno,
    validatorSetHash: validators.listHash,
    ...{ signatures: signAll(validators, vote), sessionId, slot, candidate },
  }
}

function shownCells(root: Cell): ReadonlySet<Cell> {
  const [info, , stateUpdate, extra] = root.refs as [Cell, Cell, Cell, Cell]
  const shown = new Set([root, stateUpdate, extra])
  const mcExtra = extra.refs.at(-1)!
  shown.add(mcExtra)
  // The configuration of a key block is the last one.
  for (const whole of [info, ...mcExtra.refs]) showWhole(whole, shown)
  return shown
}

function showWhole(cell: Cell, shown: Set<Cell>): void {
  if (shown.has(cell)) return
  shown.add(cell)
  for (const ref of cell.refs) showWhole(ref, shown)
}
