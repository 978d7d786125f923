import { hash } from 'node:crypto'
import { AdnlKey, shortId } from '@shardwalk/adnl'
import { Builder, buildDict, type Cell, createMerkleProof, parseRoot, serializeBoc } from '@shardwalk/cells'
import { type BlockId, FULL_SHARD, MASTERCHAIN, type RawBlock } from '@shardwalk/model'
import { loadCatchainConfig, loadValidatorSet, validatorSubset } from '@shardwalk/proofs'
import { encodeBlockProof } from '@shardwalk/sources'
import { encodeCandidateHashData, encodeFinalizeVote, encodeSignedBlockId } from '@shardwalk/tl'

/** Keys of the validators of every generated chain. */
const KEYS = [1, 2, 3].map((i) => new AdnlKey(hash('sha256', `generated validator ${i}`, 'buffer')))
const CATCHAIN_SEQNO = 2

/** Config parameter 28. Source: block.tlb `catchain_config#c1`, `catchain_config_new#c2`. */
export const catchainConfigCell = ({ isNewer = false } = {}): Cell =>
  (isNewer ? new Builder().storeUint(0xc2, 8).storeUint(0, 8) : new Builder().storeUint(0xc1, 8))
    .storeUint(250, 32)
    .storeUint(250, 32)
    .storeUint(1_000, 32)
    .storeUint(7, 32)
    .endCell()

/** Config parameter 34 or 35. Source: block.tlb `validators_ext#12` or `validators#11`, `validator#53`. */
export function validatorSetCell({ isOld = false } = {}): Cell {
  const entries = KEYS.map(({ publicKey }, i) => {
    const validator = new Builder().storeUint(0x53, 8).storeUint(0x8e81278a, 32)
    return [i, validator.storeBytes(publicKey).storeUint(1, 64)] as const
  })
  const count = KEYS.length
  const builder = new Builder()
    .storeUint(isOld ? 0x11 : 0x12, 8)
    .storeUint(0, 32)
    .storeUint(0xffff_ffff, 32)
  builder.storeUint(count, 16).storeUint(count, 16)
  const list = buildDict(entries, 16)!
  return isOld
    ? builder.storeCell(list).endCell()
    : builder.storeUint(count, 64).storeMaybeRef(list).endCell()
}

const subset = validatorSubset({
  set: loadValidatorSet(validatorSetCell().slice()),
  catchain: loadCatchainConfig(catchainConfigCell().slice()),
  workchain: MASTERCHAIN,
  shard: FULL_SHARD,
  catchainSeqno: CATCHAIN_SEQNO,
})
/** What headers of masterchain blocks say of their validators. */
export const VALIDATORS = { listHash: subset.listHash, catchainSeqno: CATCHAIN_SEQNO }

/** Proof file of a masterchain block: its header, the configuration of a key block, and signatures. */
export function signedProof({ id, bytes }: RawBlock, { isSimplex = false } = {}): Buffer {
  const root = parseRoot(bytes)
  const shown = shownCells(root)
  const proof = createMerkleProof(root, (cell) => shown.has(cell))
  return encodeBlockProof(id, serializeBoc(proof), isSimplex ? simplexSet(id) : ordinarySet(id))
}

const signaturesOf = (message: Buffer) =>
  KEYS.map((key) => ({ nodeIdShort: shortId(key.publicKey), signature: key.sign(message) }))

const ordinarySet = (id: BlockId) => ({
  kind: 'liteServer.signatureSet.ordinary' as const,
  catchainSeqno: CATCHAIN_SEQNO,
  validatorSetHash: VALIDATORS.listHash,
  signatures: signaturesOf(encodeSignedBlockId(id)),
})

/** The candidate of every other block is an empty one, which repeats the block in a later slot. */
function simplexSet(id: BlockId) {
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
    ccSeqno: CATCHAIN_SEQNO,
    validatorSetHash: VALIDATORS.listHash,
    ...{ signatures: signaturesOf(vote), sessionId, slot, candidate },
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
