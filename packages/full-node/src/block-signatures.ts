import { encodeCandidateHashData, type LiteObject, type TonNodeBroadcast } from '@shardwalk/tl'

/** Signatures of a masterchain block, in the form of lite servers, which is what is verified. */
export type BlockSignatures = LiteObject<'liteServer.blockLinkForward'>['signatures']

type Broadcast<K> = Extract<TonNodeBroadcast, { kind: K }>
type Signed = Broadcast<'tonNode.blockBroadcast'>['signatures']
type SignatureSet = Broadcast<'tonNode.blockBroadcastCompressedV2'>['signatureSet']

const lite = (signatures: Signed) => signatures.map(({ who, signature }) => ({ nodeIdShort: who, signature }))

/** Signatures of catchain validators. `validatorSetHash`: `gen_validator_list_hash_short`. */
export const ordinarySignatures = (
  round: { readonly catchainSeqno: number; readonly validatorSetHash: number },
  signatures: Signed,
): BlockSignatures => ({
  kind: 'liteServer.signatureSet.ordinary',
  catchainSeqno: round.catchainSeqno,
  validatorSetHash: round.validatorSetHash,
  signatures: lite(signatures),
})

/** Undefined if the block is notarised only: it may not become final. */
export function signaturesOfSet(set: SignatureSet): BlockSignatures | undefined {
  if (set.kind === 'tonNode.signatureSet.ordinary')
    return ordinarySignatures({ ...set, catchainSeqno: set.ccSeqno }, set.signatures)
  if (!set.final) return undefined
  const { ccSeqno, validatorSetHash, sessionId, slot } = set
  return {
    kind: 'liteServer.signatureSet.simplex',
    ccSeqno,
    validatorSetHash,
    signatures: lite(set.signatures),
    sessionId,
    slot,
    candidate: encodeCandidateHashData(set.candidate),
  }
}
