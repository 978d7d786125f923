import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { type BlockId, DecodeError, formatBlockId, sameBlock } from '@shardwalk/model'
import { decodeCandidateHashData, encodeFinalizeVote, encodeSignedBlockId } from '@shardwalk/tl'
import { FormNotKnown, prove } from './errors.ts'
import type { Validator, ValidatorSubset } from './validator-set.ts'

/** A signature of a validator (ed25519, 64 bytes). */
export interface BlockSignature {
  /** SHA-256 of the boxed public key, 32 bytes. */
  readonly nodeIdShort: Buffer
  readonly signature: Buffer
}

/** lite_api.tl `liteServer.SignatureSet`, both kinds. */
export type SignatureSet =
  | {
      readonly kind: 'liteServer.signatureSet.ordinary'
      readonly validatorSetHash: number
      readonly catchainSeqno: number
      readonly signatures: readonly BlockSignature[]
    }
  | {
      readonly kind: 'liteServer.signatureSet.simplex'
      readonly ccSeqno: number
      readonly validatorSetHash: number
      readonly signatures: readonly BlockSignature[]
      readonly sessionId: Buffer
      readonly slot: number
      readonly candidate: Buffer
    }

/**
 * Requires that validators with more than two thirds of the subset's weight signed the block. Throws
 * `ProofError`, or `FormNotKnown` if they signed what may be the block in another form. Source: node,
 * crypto/block/signature-set.cpp.
 */
export function verifySignatureSet(
  set: SignatureSet,
  subset: ValidatorSubset,
  block: BlockId,
  subject: string,
): void {
  const catchainSeqno = set.kind === 'liteServer.signatureSet.simplex' ? set.ccSeqno : set.catchainSeqno
  prove(catchainSeqno === subset.catchainSeqno, subject, `signatures of catchain round ${catchainSeqno}`)
  prove(set.validatorSetHash >>> 0 === subset.listHash, subject, 'signatures of another validator set')
  const signed = signedBytes(set, block)
  const members = new Map(subset.members.map((member) => [nodeIdShort(member).toString('hex'), member]))
  let weight = 0n
  for (const { nodeIdShort: id, signature } of set.signatures) {
    const key = id.toString('hex')
    const member = members.get(key)
    prove(member !== undefined, subject, `signer ${key} is not in the validator set, or signed twice`)
    members.delete(key)
    prove(
      signature.length === 64 && verify(null, signed, publicKeyOf(member), signature),
      subject,
      `signature of ${key} is not valid`,
    )
    weight += member.weight
  }
  prove(
    weight * 3n > subset.totalWeight * 2n,
    subject,
    `signed weight ${weight} of ${subset.totalWeight} is not enough`,
  )
  if (set.kind === 'liteServer.signatureSet.ordinary') return
  const signedBlock = blockOfCandidate(set.candidate, subject)
  prove(sameBlock(signedBlock, block), subject, `signed candidate is ${formatBlockId(signedBlock)}`)
}

function signedBytes(set: SignatureSet, block: BlockId): Buffer {
  if (set.kind === 'liteServer.signatureSet.ordinary') return encodeSignedBlockId(block)
  return encodeFinalizeVote(set.sessionId, set.slot, createHash('sha256').update(set.candidate).digest())
}

/** The candidate is signed by validators, so the sender has not made it up. */
function blockOfCandidate(candidate: Buffer, subject: string): BlockId {
  try {
    return decodeCandidateHashData(candidate).block
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const text = `${subject}: validators signed a candidate of an unknown form; update Shardwalk`
    throw new FormNotKnown(text, { cause: error })
  }
}

const PUB_ED25519 = Buffer.from('c6b41348', 'hex')

const nodeIdShort = (validator: Validator): Buffer =>
  createHash('sha256').update(PUB_ED25519).update(validator.publicKey).digest()

// The same hundred keys verify every block.
const keys = new WeakMap<Validator, KeyObject>()

function publicKeyOf(validator: Validator): KeyObject {
  let key = keys.get(validator)
  if (!key) {
    const x = validator.publicKey.toString('base64url')
    key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    keys.set(validator, key)
  }
  return key
}
