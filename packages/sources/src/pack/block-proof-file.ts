import { Builder, buildDict, type Cell, lookup, parseBoc, type Slice, serializeBoc } from '@shardwalk/cells'
import { type BlockId, DecodeError, FULL_SHARD } from '@shardwalk/model'
import { FormNotKnown } from '@shardwalk/proofs'
import type { LiteObject } from '@shardwalk/tl'

/** Signatures of a masterchain block as lite servers send them. */
export type BlockSignatures = LiteObject<'liteServer.blockLinkForward'>['signatures']

const BLOCK_PROOF = 0xc3
const ORDINARY = 0x11
const SIMPLEX = 0x12
const ED25519_SIGNATURE = 5
const BYTES_PER_CELL = 127
/** Signatures are in a dictionary with keys of 16 bits. */
const MAX_SIGNATURES = 1 << 16

/**
 * A `proof_` file with the header proof and signatures of an answer to getBlockProof. The answer lacks the
 * total weight of the signatures, which is written as 0.
 * Source: block.tlb `block_proof#c3`, `block_signatures#11`; for simplex: node, signature-set.cpp.
 */
export function encodeBlockProof(id: BlockId, headerProof: Buffer, signatures: BlockSignatures): Buffer {
  if (id.shard !== FULL_SHARD) throw new RangeError('only masterchain blocks are signed')
  const bag = parseBoc(headerProof)
  const root = new Builder()
    .storeUint(BLOCK_PROOF, 8)
    .storeUint(0, 8)
    .storeInt(id.workchain, 32)
    .storeUint(0, 64)
    .storeUint(id.seqno, 32)
    .storeBytes(id.rootHash)
    .storeBytes(id.fileHash)
    .storeRef(bag.cell(bag.root))
    .storeMaybeRef(storeSignatures(signatures))
  return serializeBoc(root.endCell())
}

function storeSignatures(set: BlockSignatures): Cell {
  const simplex = set.kind === 'liteServer.signatureSet.simplex'
  const pairs = set.signatures.map(({ nodeIdShort, signature }, i) => {
    const pair = new Builder().storeBytes(nodeIdShort).storeUint(ED25519_SIGNATURE, 4).storeBytes(signature)
    return [BigInt(i), pair] as const
  })
  const cell = new Builder()
    .storeUint(simplex ? SIMPLEX : ORDINARY, 8)
    .storeUint(set.validatorSetHash, 32)
    .storeUint(simplex ? set.ccSeqno : set.catchainSeqno, 32)
    .storeUint(pairs.length, 32)
    .storeUint(0, 64)
    .storeMaybeRef(buildDict(pairs, 16))
  if (simplex) cell.storeBytes(set.sessionId).storeUint(set.slot, 32).storeRef(storeText(set.candidate))
  return cell.endCell()
}

/** Signatures in a `proof_` file; undefined if it has none. Throws `DecodeError` or `FormNotKnown`. */
export function decodeBlockSignatures(file: Buffer): BlockSignatures | undefined {
  const bag = parseBoc(file)
  const proof = bag.slice(bag.root)
  if (proof.loadUint(8) !== BLOCK_PROOF) throw new DecodeError('block_proof', 'has no tag c3')
  // Skips ShardIdent (104 bits), seqno (32), root hash and file hash; then the header proof.
  proof.skip(104 + 32 + 512).skipRefs(1)
  return proof.loadBit() ? loadSignatures(proof.loadRefSlice()) : undefined
}

function loadSignatures(slice: Slice): BlockSignatures {
  const tag = slice.loadUint(8)
  if (tag !== ORDINARY && tag !== SIMPLEX)
    throw new FormNotKnown(`block_signatures: unknown tag ${tag.toString(16)}; update Shardwalk`)
  const validatorSetHash = slice.loadUint(32)
  const catchainSeqno = slice.loadUint(32)
  const count = slice.loadUint(32)
  // The sender may claim any number, and memory for all of them is allocated at once.
  if (count > MAX_SIGNATURES) throw new DecodeError('block_signatures.sig_count', `is ${count}`)
  const pairs = slice.skip(64).loadMaybeRefSlice()
  const signatures = Array.from({ length: count }, (_, i) => loadPair(pairs, i))
  if (tag === ORDINARY)
    return { kind: 'liteServer.signatureSet.ordinary', validatorSetHash, catchainSeqno, signatures }
  const sessionId = slice.loadBytes(32)
  const slot = slice.loadUint(32)
  const candidate = loadText(slice.loadRefSlice())
  const ccSeqno = catchainSeqno
  return {
    kind: 'liteServer.signatureSet.simplex',
    ccSeqno,
    validatorSetHash,
    signatures,
    sessionId,
    slot,
    candidate,
  }
}

function loadPair(pairs: Slice | undefined, i: number): BlockSignatures['signatures'][number] {
  const pair = lookup(pairs?.clone(), 16, i)
  if (!pair) throw new DecodeError('block_signatures.signatures', `lacks entry ${i}`)
  const nodeIdShort = pair.loadBytes(32)
  return { nodeIdShort, signature: pair.skip(4).loadBytes(64) }
}

/** Stores bytes in a chain of cells. */
function storeText(bytes: Buffer): Cell {
  const builder = new Builder().storeBytes(bytes.subarray(0, BYTES_PER_CELL))
  if (bytes.length > BYTES_PER_CELL) builder.storeRef(storeText(bytes.subarray(BYTES_PER_CELL)))
  return builder.endCell()
}

function loadText(slice: Slice): Buffer {
  const own = slice.loadBytes(slice.remainingBits >> 3)
  return slice.remainingRefs === 0 ? own : Buffer.concat([own, loadText(slice.loadRefSlice())])
}
