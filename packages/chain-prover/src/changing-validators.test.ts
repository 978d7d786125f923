import { silentLogger } from '@shardwalk/observability'
import { BlockProofChecker, ProofError, type SignatureSet, type ValidatorSubset } from '@shardwalk/proofs'
import { GeneratedProofs } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { expect, test } from 'vitest'
import { TrustAnchors } from './anchors.ts'
import { BlockProver } from './block-prover.ts'

// A chain whose key blocks change who signs: elected and temporary validators, shuffled or not, of different
// weights, in rounds of the catchain that end at other blocks, too.

const STEPS = isLong ? 400 : 60
const chain = new GeneratedProofs({
  ...{ seed: 91, steps: STEPS, accounts: 2, transactions: 1, keyBlocks: 0.5, validatorChanges: 0.8 },
})
const { blocks } = chain
const seqnos = blocks.map((_, seqno) => seqno).slice(1)
/** From which signatures lead to the block. */
const keyBefore = (seqno: number) => blocks.findLastIndex(({ isKey }, at) => at < seqno && isKey)
const validatorsOf = (seqno: number) => blocks[seqno]!.validators
const keysOf = ({ members }: ValidatorSubset) => members.map(({ publicKey }) => publicKey.toString('hex'))

type Link = ReturnType<GeneratedProofs['link']>

const verify = (link: Link) =>
  new BlockProofChecker().verify({ complete: true, from: link.from, to: link.to, steps: [link] }, link.from)

const expectRefused = (link: Link, why: RegExp) => {
  expect(() => verify(link)).toThrow(ProofError)
  expect(() => verify(link)).toThrow(why)
}

/** What the set says of itself, whoever signed. */
const claiming = (set: SignatureSet, { listHash, catchainSeqno }: ValidatorSubset): SignatureSet => ({
  ...{ ...set, validatorSetHash: listHash },
  ...(set.kind === 'liteServer.signatureSet.ordinary' ? { catchainSeqno } : { ccSeqno: catchainSeqno }),
})

test('the validators of every block are proven, in every order that a configuration gives them', () => {
  for (const seqno of seqnos) verify(chain.link(keyBefore(seqno), seqno))
  const sets = seqnos.map((seqno) => keysOf(validatorsOf(seqno)))
  const committees = new Set(sets.map((keys) => [...keys].sort().join()))
  expect(committees.size).toBeGreaterThan(STEPS / 20)
  expect(new Set(sets.map((keys) => keys.join())).size).toBeGreaterThan(committees.size)
})

test('neither validators of an earlier block sign a block, nor those of a later one', () => {
  let [refused, strangers, rounds] = [0, 0, 0]
  for (const seqno of seqnos) {
    const own = validatorsOf(seqno)
    const from = keyBefore(seqno)
    for (const at of [from, seqno - 1, seqno + 1].filter((at) => at > 0 && at <= STEPS)) {
      const other = validatorsOf(at)
      if (other.listHash === own.listHash) continue
      refused++
      const link = chain.link(from, seqno, other)
      expectRefused(link, /catchain round|another validator set/)
      if (keysOf(other).some((key) => !keysOf(own).includes(key))) {
        strangers++
        const signatures = claiming(link.signatures, own)
        expectRefused({ ...link, signatures }, /not in the validator set/)
      }
      if (other.catchainSeqno === own.catchainSeqno) continue
      rounds++
      const wrongRound = { ...own, catchainSeqno: other.catchainSeqno }
      expectRefused(chain.link(from, seqno, wrongRound), /catchain round/)
    }
  }
  expect(Math.min(refused, strangers, rounds)).toBeGreaterThan(STEPS / 10)
})

test('no key block vouches for what comes after the next one, whoever signed it', () => {
  let same = 0
  for (const seqno of seqnos) {
    const before = keyBefore(seqno)
    if (before === 0) continue
    const skipped = keyBefore(before)
    same += Number(validatorsOf(seqno).listHash === validatorsOf(before).listHash)
    expectRefused(chain.link(skipped, seqno), new RegExp(`key block ${before} is left out`))
  }
  expect(same).toBeGreaterThan(0)
})

test('more than two thirds of the weight are enough, whoever they are of, and nothing less is', () => {
  const seen = new Set<number>()
  let exact = 0
  for (const seqno of seqnos) {
    const { members, totalWeight, listHash } = validatorsOf(seqno)
    if (seen.has(listHash) || members.length > 6) continue
    seen.add(listHash)
    const link = chain.link(keyBefore(seqno), seqno)
    for (let chosen = 0; chosen < 2 ** members.length; chosen++) {
      const has = (_: unknown, i: number) => ((chosen >> i) & 1) === 1
      const weight = members.filter(has).reduce((sum, member) => sum + member.weight, 0n)
      const isExact = weight * 3n === totalWeight * 2n
      if (!isExact && !isLong && chosen % 11 > 0) continue
      exact += Number(isExact)
      const signatures = { ...link.signatures, signatures: link.signatures.signatures.filter(has) }
      if (weight * 3n > totalWeight * 2n) verify({ ...link, signatures })
      else expectRefused({ ...link, signatures }, /is not enough/)
    }
  }
  expect(exact).toBeGreaterThan(0)
})

test('a prover passes over servers whose last link others signed, from whatever it trusts', async () => {
  const reports: string[] = []
  let isForging = false
  const anchors = new TrustAnchors([blocks[0]!.id])
  const prover = new BlockProver({
    ...{ log: silentLogger, anchors, onKeyBlocks: async () => {} },
    pool: {
      async queryFrom(_, { knownBlock, targetBlock }) {
        const value = chain.answer(knownBlock.seqno, targetBlock!.seqno)
        const { from, to } = value.steps.at(-1)!
        const forged = chain.link(from.seqno, to.seqno, validatorsOf(to.seqno === 1 ? 2 : to.seqno - 1))
        const steps = isForging ? [...value.steps.slice(0, -1), forged] : value.steps
        const server = isForging ? 'dishonest' : 'honest'
        return { server, value: { ...value, steps } }
      },
      report: (_, problem) => {
        isForging = false
        reports.push(problem)
      },
      lookupBlock: () => Promise.reject(new Error('not asked')),
    },
  })
  for (const seqno of seqnos.filter((at) => at % 7 === 0 || at === STEPS)) {
    isForging = true
    await prover.prove(blocks[seqno]!.id, new AbortController().signal)
    const known = anchors.nearest(seqno)
    expect(known).toEqual(blocks[keyBefore(seqno + 1)]!.id)
  }
  expect(reports.length).toBeGreaterThan(STEPS / 40)
})
