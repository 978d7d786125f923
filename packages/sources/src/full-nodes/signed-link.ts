import { CELL, createMerkleProof, parseRoot, serializeBoc } from '@shardwalk/cells'
import { type BlockId, DecodeError, formatBlockId } from '@shardwalk/model'
import { type BlockLink, openBlockProof, type ProvenBlock } from '@shardwalk/proofs'
import { type BlockSignatures, decodeBlockSignatures } from '../pack/block-proof-file.ts'

const BLOCK_PROOF = 0xc3

/** A block with what proves it. */
export interface SignedBlock {
  readonly id: BlockId
  /** A proof file, or the Merkle proof in it. */
  readonly proof: Buffer
  /** Default: those of the proof file. */
  readonly signatures?: BlockSignatures | undefined
}

/** The same with its proof opened, which shows no more than that the block has this header. */
export interface OpenedBlock extends SignedBlock {
  readonly merkleProof: Buffer
  readonly header: ProvenBlock['header']
}

/** Throws `DecodeError` or `ProofError`. */
export function openSigned(block: SignedBlock): OpenedBlock {
  const { id, proof } = block
  const merkleProof = merkleProofOf(proof)
  const { header } = openBlockProof(merkleProof, id, formatBlockId(id))
  return { ...block, merkleProof, header }
}

/**
 * The step from a key block to one whose signatures it decides about. Throws `DecodeError` or
 * `FormNotKnown`.
 */
export function signedLink(from: BlockId, configProof: Buffer, block: OpenedBlock): BlockLink {
  const signatures = block.signatures ?? decodeBlockSignatures(block.proof)
  if (!signatures) throw new DecodeError('block_proof', `${formatBlockId(block.id)} has no signatures`)
  return {
    kind: 'liteServer.blockLinkForward',
    toKeyBlock: block.header.keyBlock,
    from,
    to: block.id,
    destProof: block.merkleProof,
    configProof,
    signatures,
  }
}

/** The Merkle proof in a proof file. Source: block.tlb `block_proof#c3`. */
function merkleProofOf(file: Buffer): Buffer {
  const root = parseRoot(file)
  if (root.type === CELL.merkleProof) return file
  const proof = root.refs[0]
  if (!proof || root.slice().loadUint(8) !== BLOCK_PROOF)
    throw new DecodeError('block_proof', 'has no tag c3')
  return serializeBoc(proof)
}

/** A zerostate as the proof of its own configuration. */
export function zerostateProof(bytes: Buffer): Buffer {
  return serializeBoc(createMerkleProof(parseRoot(bytes), () => true))
}
