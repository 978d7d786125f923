import { createHash, createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { parseBoc } from '@shardwalk/cells'
import type { BlockId } from '@shardwalk/model'
import { decodeObjectAs, encodeFinalizeVote } from '@shardwalk/tl'
import { findConfigParam } from '@shardwalk/tlb'
import { expect, test } from 'vitest'
import {
  FormNotKnown,
  loadCatchainConfig,
  loadValidatorSet,
  ProofError,
  type SignatureSet,
  validatorSubset,
  verifyConfig,
} from './index.ts'
import { verifySignatureSet } from './signatures.ts'
import type { Validator } from './validator-set.ts'

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/${name}`, import.meta.url))
const vectors = JSON.parse(fixture('proofs/signatures.json').toString())
const hex = (text: string) => Buffer.from(text, 'hex')

const block: BlockId = {
  workchain: vectors.block.workchain,
  shard: BigInt(`0x${vectors.block.shard}`),
  seqno: vectors.block.seqno,
  rootHash: hex(vectors.block.root_hash),
  fileHash: hex(vectors.block.file_hash),
}
const validators: Validator[] = vectors.validators.map((v: Record<string, string>) => ({
  publicKey: hex(v['public_key']!),
  weight: BigInt(v['weight']!),
  adnlAddress: hex(v['adnl_addr']!),
}))
const subset = validatorSubset({
  set: { utimeSince: 0, utimeUntil: 0, main: vectors.subset.main, validators },
  catchain: { shuffleMasterchainValidators: true, shardValidatorsNum: 4 },
  workchain: -1,
  shard: 0x8000000000000000n,
  catchainSeqno: vectors.subset.cc_seqno,
})
const signatures = (kind: 'ordinary' | 'simplex', list: string) =>
  vectors[kind][list].map((s: Record<string, string>, i: number) => ({
    nodeIdShort: hex(s['node_id_short'] ?? vectors.validators[i].node_id_short),
    signature: hex(s['signature'] ?? (s as unknown as string)),
  }))

test('the shuffled masterchain subset and its list hash equal the vectors', () => {
  expect(subset.members.map((m) => validators.indexOf(m))).toEqual(vectors.subset.order)
  expect(subset.listHash).toBe(vectors.subset.validator_list_hash_short)
})

test('mainnet: the configuration of block 26309435 gives the list hashes in the headers', () => {
  const answer = decodeObjectAs(
    'liteServer.configInfo',
    gunzipSync(fixture('adnl/configInfo_26309435.bin.gz')),
  )
  const config = verifyConfig(answer, answer.id)
  const set = loadValidatorSet(findConfigParam(config, 34)!)
  const catchain = loadCatchainConfig(findConfigParam(config, 28)!)
  const real = vectors.real[0]
  const mainnet = validatorSubset({
    set,
    catchain,
    workchain: -1,
    shard: 0x8000000000000000n,
    catchainSeqno: real.cc_seqno,
  })
  expect(mainnet.listHash).toBe(real.validator_list_hash_short)
})

test('mainnet: the shard subset of 2026 has the list hash of header (0,8000000000000000,71398501)', () => {
  const bag = parseBoc(gunzipSync(fixture('proofs/config_for_mainnet_66519406.boc.gz')))
  const config = { configAddress: Buffer.alloc(32), root: bag.slice(bag.root) }
  const real = vectors.real[1]
  const shard = validatorSubset({
    set: loadValidatorSet(findConfigParam(config, 34)!),
    catchain: loadCatchainConfig(findConfigParam(config, 28)!),
    workchain: 0,
    shard: 0x8000000000000000n,
    catchainSeqno: real.cc_seqno,
  })
  expect(shard.listHash).toBe(real.validator_list_hash_short)
})

const ordinary = (): SignatureSet => ({
  kind: 'liteServer.signatureSet.ordinary',
  validatorSetHash: subset.listHash,
  catchainSeqno: subset.catchainSeqno,
  signatures: signatures('ordinary', 'signatures'),
})
const simplex = (candidate: string, list: string): SignatureSet => ({
  kind: 'liteServer.signatureSet.simplex',
  ccSeqno: subset.catchainSeqno,
  validatorSetHash: subset.listHash,
  sessionId: hex(vectors.simplex.session_id),
  slot: vectors.simplex.slot,
  candidate: hex(vectors.simplex[candidate]),
  signatures: signatures('simplex', list),
})
const only = (set: SignatureSet, signers: readonly number[]): SignatureSet => ({
  ...set,
  signatures: signers.map((i) => set.signatures[i]!),
})
const check = (set: SignatureSet, of: BlockId = block) => verifySignatureSet(set, subset, of, 'vector')

test('ordinary signatures of more than two thirds of the weight are accepted, others are refused', () => {
  check(ordinary())
  check(only(ordinary(), [0, 1]))
  expect(() => check(only(ordinary(), [0, 2]))).toThrow(/not enough/)
  expect(() => check(only(ordinary(), [0, 2, 3]))).toThrow(/not enough/)
})

test('simplex signatures are accepted only for the block in the candidate and the signed slot', () => {
  check(simplex('candidate_ordinary', 'signatures'))
  expect(() =>
    check(simplex('candidate_ordinary', 'signatures'), { ...block, seqno: block.seqno + 1 }),
  ).toThrow(ProofError)
  expect(() => check({ ...simplex('candidate_ordinary', 'signatures'), slot: 41 } as SignatureSet)).toThrow(
    /not valid/,
  )
  expect(() => check(simplex('candidate_empty', 'signatures'))).toThrow(/not valid/)
})

const privateKey = (seed: string) =>
  createPrivateKey({ key: hex(`302e020100300506032b657004220420${seed}`), format: 'der', type: 'pkcs8' })

test('a candidate of a newer form is no forgery if validators have signed it, and one otherwise', () => {
  const newer: Extract<SignatureSet, { kind: 'liteServer.signatureSet.simplex' }> = {
    ...(simplex('candidate_ordinary', 'signatures') as SignatureSet & {
      kind: 'liteServer.signatureSet.simplex'
    }),
    candidate: Buffer.from('0123456789abcdef', 'hex'),
  }
  expect(() => check(newer)).toThrow(ProofError)
  const hash = createHash('sha256').update(newer.candidate).digest()
  const vote = encodeFinalizeVote(newer.sessionId, newer.slot, hash)
  const signed = newer.signatures.map(({ nodeIdShort }) => {
    const { seed } = vectors.validators.find(
      (v: Record<string, string>) => v['node_id_short'] === nodeIdShort.toString('hex'),
    )
    return { nodeIdShort, signature: sign(null, vote, privateKey(seed)) }
  })
  expect(() => check({ ...newer, signatures: signed })).toThrow(FormNotKnown)
})
