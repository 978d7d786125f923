import {
  bytes,
  decodeWhole,
  encodeBoxed,
  encodeUnion,
  type Infer,
  int256,
  object,
  uint32,
  union,
} from './codec.ts'
import { blockIdExt } from './objects.ts'

// Objects that validators sign. Source: ton_api.tl. `slot` is written as an unsigned number.

export const tonBlockId = object('ton.blockId', 0xc50b6e70, { rootCellHash: int256, fileHash: int256 })
export const candidateId = object('consensus.candidateId', 0xb691cd3f, { slot: uint32, hash: int256 })
const boxedCandidateId = union('consensus.CandidateId', candidateId)
/** What a validator of simplex consensus signs to finalise a candidate. */
export const finalizeVote = object('consensus.simplex.finalizeVote', 0x40a7e105, { id: boxedCandidateId })
/** The bytes of a vote, bound to the session of its validators. */
export const dataToSign = object('consensus.dataToSign', 0xa8e33df8, { sessionId: int256, data: bytes })
export const candidateParent = object('consensus.candidateParent', 0x1a4b9af1, { id: boxedCandidateId })
export const candidateWithoutParents = object('consensus.candidateWithoutParents', 0x22cbcca9, {})
/** Of a candidate with a block. */
export const candidateHashDataOrdinary = object('consensus.candidateHashDataOrdinary', 0xe8f9bcdc, {
  block: blockIdExt,
  collatedFileHash: int256,
  parent: union('consensus.CandidateParent', candidateParent, candidateWithoutParents),
})
/** Of a candidate that repeats the block of its parent. */
export const candidateHashDataEmpty = object('consensus.candidateHashDataEmpty', 0x72b4d933, {
  block: blockIdExt,
  parent: candidateId,
})
/** What a candidate's hash is taken of. Source: ton_api.tl, consensus.CandidateHashData. */
export const candidateHashData = union(
  'consensus.CandidateHashData',
  candidateHashDataOrdinary,
  candidateHashDataEmpty,
)

/** The 68 bytes that an ordinary (catchain) signature covers. */
export const encodeSignedBlockId = (id: { readonly rootHash: Buffer; readonly fileHash: Buffer }): Buffer =>
  encodeBoxed(tonBlockId, { rootCellHash: id.rootHash, fileHash: id.fileHash })

/**
 * What a simplex signature of a final block covers. A notarize vote has another id and is never produced
 * here.
 */
export function encodeFinalizeVote(sessionId: Buffer, slot: number, candidateHash: Buffer): Buffer {
  const vote = encodeBoxed(finalizeVote, { id: { kind: 'consensus.candidateId', slot, hash: candidateHash } })
  return encodeBoxed(dataToSign, { sessionId, data: vote })
}

/** `candidate` of a simplex signature set; `kind` distinguishes ordinary from empty candidates. */
export type CandidateHashData = Infer<typeof candidateHashData>
/** Throws `DecodeError`. The caller must compare the block it names with the claimed one. */
export const decodeCandidateHashData = (candidate: Buffer): CandidateHashData =>
  decodeWhole('consensus.CandidateHashData', candidate, (reader) => candidateHashData.read(reader))
/** The bytes that `decodeCandidateHashData` reads. */
export const encodeCandidateHashData = (candidate: CandidateHashData): Buffer =>
  encodeUnion(candidateHashData, candidate)
