import { type BlockId, sameBlock } from '@shardwalk/model'
import {
  BlockProofChecker,
  ProofError,
  type SignatureSet,
  verifyPreviousBlocks,
  verifyProgress,
} from '@shardwalk/proofs'
import { LITE_MODE, type LiteResults } from '@shardwalk/tl'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { servedChain } from './served-chain.ts'

// Proofs between masterchain blocks of a chain whose validators change from one form of signatures to the
// other.

const STEPS = 130
const SIMPLEX_FROM = 60
const OPTIONS = {
  ...{ seed: 81, steps: STEPS, accounts: 6, transactions: 1, keyBlocks: 0.3, simplexFrom: SIMPLEX_FROM },
}
/** States list it as a key block, or as none, against its header. */
const LIED_ABOUT = 20

let chain: Awaited<ReturnType<typeof servedChain>>
let lying: Awaited<ReturnType<typeof servedChain>>
beforeAll(async () => {
  chain = await servedChain(OPTIONS)
  lying = await servedChain({ ...OPTIONS, steps: 24, falseKeyFlags: [LIED_ABOUT] })
})
afterAll(async () => {
  await chain?.close()
  await lying?.close()
})

type Proof = LiteResults['liteServer.getBlockProof']
type Link = Proof['steps'][number]
type Forward = Extract<Link, { kind: 'liteServer.blockLinkForward' }>

const PROOF_MODE = LITE_MODE.blockProof.target | LITE_MODE.blockProof.relative

const idOf = (seqno: number, { recording } = chain): BlockId =>
  seqno === 0 ? recording.network.zerostate : recording.step(seqno)!.block.id

const askProof = (knownBlock: BlockId, targetBlock: BlockId, { pool } = chain): Promise<Proof> =>
  pool.query('liteServer.getBlockProof', { mode: PROOF_MODE, knownBlock, targetBlock })

/** All links from one block to another, each answer verified. */
async function linksBetween(from: number, to: number): Promise<Link[]> {
  const checker = new BlockProofChecker()
  const links: Link[] = []
  const target = idOf(to)
  for (let at = idOf(from); !sameBlock(at, target); ) {
    const proof = await askProof(at, target)
    checker.verify(proof, at)
    verifyProgress(proof, target)
    links.push(...proof.steps)
    at = proof.to
  }
  return links
}

/** Before the last block. */
const keyBlocks = (): number[] =>
  Array.from({ length: STEPS }, (_, seqno) => seqno).filter(
    (seqno) => seqno === 0 || chain.recording.step(seqno)!.block.keyBlock,
  )

const isForward = (link: Link): link is Forward => link.kind === 'liteServer.blockLinkForward'

test('signatures lead over every key block, also where their form changes', async () => {
  const links = await linksBetween(0, STEPS)
  expect(links.every(isForward)).toBe(true)
  expect(links.slice(0, -1).map(({ to }) => to.seqno)).toEqual(keyBlocks().filter((one) => one > 0))
  for (const { to, signatures } of links.filter(isForward)) {
    const form = to.seqno < SIMPLEX_FROM ? 'ordinary' : 'simplex'
    expect(signatures.kind).toBe(`liteServer.signatureSet.${form}`)
  }
})

test('any block proves any other one, whichever is older', async () => {
  const ends = [0, 1, 32, SIMPLEX_FROM - 1, SIMPLEX_FROM, 127, 128, STEPS]
  let back = 0
  for (const from of ends)
    for (const to of ends)
      if (from !== to && from > 0) back += +!isForward((await linksBetween(from, to))[0]!)
  expect(back).toBeGreaterThan(ends.length)
})

test('a state lists every earlier block, and names the newest key block', async () => {
  const keys = keyBlocks()
  for (let seqno = 1; seqno < STEPS; seqno++) {
    const at = idOf(seqno)
    const mode = LITE_MODE.config.previousBlocks
    const answer = await chain.pool.query('liteServer.getConfigParams', { mode, id: at, paramList: [8] })
    const { last, key, hundreds } = verifyPreviousBlocks(answer, at)
    const back = Array.from({ length: Math.min(16, seqno + 1) }, (_, i) => idOf(seqno - i))
    expect([last, key]).toEqual([back, idOf(keys.findLast((one) => one <= seqno)!)])
    expect(hundreds).toEqual(seqno < 100 ? [idOf(0)] : [idOf(100), idOf(0)])
  }
})

test('a link back is refused when it, or the state, says falsely that a block is a key block', async () => {
  for (let to = 1; to < 24; to++) {
    const from = idOf(24, lying)
    const proof = await askProof(from, idOf(to, lying), lying)
    const check = (toKeyBlock: boolean) => {
      const steps = proof.steps.map((link) => ({ ...link, toKeyBlock }))
      return () => new BlockProofChecker().verify({ ...proof, steps }, from)
    }
    const [link] = proof.steps
    const isLie = to === LIED_ABOUT
    if (isLie) expect(check(link!.toKeyBlock)).toThrow(/key block flag differs/)
    else check(link!.toKeyBlock)()
    expect(check(!link!.toKeyBlock)).toThrow(/key block flag differs/)
  }
})

/** What forgers make of signatures, and why it is refused. */
const FORGERIES: Readonly<Record<string, readonly [(set: SignatureSet) => SignatureSet, RegExp]>> = {
  'in which a validator signs twice': [
    (set) => ({ ...set, signatures: [...set.signatures.slice(0, 2), set.signatures[0]!] }),
    /signed twice/,
  ],
  'with one more of an unknown signer': [
    (set) => ({
      ...set,
      signatures: [...set.signatures, { ...set.signatures[0]!, nodeIdShort: Buffer.alloc(32, 7) }],
    }),
    /is not in the validator set/,
  ],
  'of exactly two thirds of the weight': [
    (set) => ({ ...set, signatures: set.signatures.slice(1) }),
    /weight 2 of 3 is not enough/,
  ],
  'of nobody': [(set) => ({ ...set, signatures: [] }), /weight 0 of 3 is not enough/],
  'with one that is cut off': [
    ({ signatures: [first, ...others], ...set }) =>
      ({
        ...set,
        signatures: [{ ...first!, signature: first!.signature.subarray(1) }, ...others],
      }) as SignatureSet,
    /not valid/,
  ],
  'of another validator set': [
    (set) => ({ ...set, validatorSetHash: set.validatorSetHash ^ 1 }),
    /another validator set/,
  ],
  'of another round': [
    (set) =>
      set.kind === 'liteServer.signatureSet.simplex'
        ? { ...set, ccSeqno: set.ccSeqno + 1 }
        : { ...set, catchainSeqno: set.catchainSeqno + 1 },
    /catchain round 3/,
  ],
  'that pass for those of the other form': [
    (set) =>
      set.kind === 'liteServer.signatureSet.simplex'
        ? { ...set, kind: 'liteServer.signatureSet.ordinary', catchainSeqno: set.ccSeqno }
        : {
            ...{ ...set, kind: 'liteServer.signatureSet.simplex', ccSeqno: set.catchainSeqno },
            ...{ sessionId: Buffer.alloc(32), slot: 0, candidate: Buffer.alloc(4) },
          },
    /not valid/,
  ],
}

const lastForward = async (to: number): Promise<Forward> => (await linksBetween(0, to)).at(-1) as Forward

const verifyLink = (link: Forward) =>
  new BlockProofChecker().verify({ complete: true, from: link.from, to: link.to, steps: [link] }, link.from)

test.each(Object.entries(FORGERIES))('signatures %s are refused in both forms', async (_, [forge, why]) => {
  for (const to of [SIMPLEX_FROM - 1, SIMPLEX_FROM, SIMPLEX_FROM + 1]) {
    const link = await lastForward(to)
    verifyLink(link)
    const forged = { ...link, signatures: forge(link.signatures) }
    expect(() => verifyLink(forged)).toThrow(ProofError)
    expect(() => verifyLink(forged)).toThrow(why)
  }
})

test('signatures of simplex are refused in another session or slot, and for another block', async () => {
  const link = await lastForward(SIMPLEX_FROM)
  const signatures = link.signatures as Extract<SignatureSet, { kind: 'liteServer.signatureSet.simplex' }>
  const other = await lastForward(SIMPLEX_FROM + 1)
  const forged = (set: SignatureSet) => () => verifyLink({ ...link, signatures: set })
  expect(forged({ ...signatures, sessionId: Buffer.alloc(32, 1) })).toThrow(/not valid/)
  expect(forged({ ...signatures, slot: signatures.slot + 1 })).toThrow(/not valid/)
  expect(forged(other.signatures)).toThrow(/signed candidate is/)
})
