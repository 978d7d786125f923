import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { BlockId, RawAddress } from '@shardwalk/model'
import { decodeAnswer, decodeFunction, type LiteArguments, type LiteResults } from '@shardwalk/tl'
import { findConfigParam } from '@shardwalk/tlb'
import { describe, expect, test } from 'vitest'
import {
  BlockProofChecker,
  ProofError,
  verifyAccountState,
  verifyConfig,
  verifyTransactionList,
} from './index.ts'

interface Entry {
  readonly name: string
  readonly function: string
  readonly query: string
  readonly answer?: string
  readonly answer_type?: string
}

const recorded = (subject: string): readonly Entry[] => {
  const file = new URL(`../../../fixtures/chain/liteserver-answers/${subject}.json.gz`, import.meta.url)
  return (JSON.parse(gunzipSync(readFileSync(file)).toString()) as { entries: Entry[] }).entries.filter(
    (e) => e.answer && e.answer_type !== 'liteServer.error',
  )
}

function readEntry<N extends keyof LiteResults & keyof LiteArguments>(entry: Entry, name: N) {
  const call = decodeFunction(Buffer.from(entry.query, 'hex'))
  const answer = decodeAnswer(name, Buffer.from(entry.answer as string, 'hex'))
  if (!answer.ok) throw new Error(`${entry.name} records an error`)
  return { arguments: call.args as LiteArguments[N], answer: answer.value }
}

const blockProofs = recorded('block-proofs').filter((e) => e.answer_type === 'liteServer.partialBlockProof')
const proofOf = (entry: Entry) => readEntry(entry, 'liteServer.getBlockProof').answer
const proofNamed = (name: string) => proofOf(blockProofs.find((e) => e.name === name) as Entry)

describe('block proofs', () => {
  test.each(blockProofs.map((e) => [e.name, e] as const))('recorded proof %s holds', (_, entry) => {
    const proof = proofOf(entry)
    expect(new BlockProofChecker().verify(proof, proof.from).to).toEqual(proof.to)
  })

  test('the head is proven from the zerostate across elections in two answers', () => {
    const checker = new BlockProofChecker()
    const first = proofNamed('zerostate-to-last-0')
    const middle = checker.verify(first, first.from)
    expect(middle.keyBlocks.map((id) => id.seqno)).toEqual(
      [...middle.keyBlocks.map((id) => id.seqno)].sort((a, b) => a - b),
    )
    expect(checker.verify(proofNamed('zerostate-to-last-1'), middle.to).to.seqno).toBe(529)
  })

  test('validator sets are kept of the last key blocks only, however many lead to the head', () => {
    const checker = new BlockProofChecker()
    const proof = proofNamed('zerostate-to-last-0')
    checker.verify(proof, proof.from)
    const withoutConfig = (link: ForwardLink) => {
      const { from, to } = link
      return () =>
        checker.verify({ complete: true, from, to, steps: [{ ...link, configProof: Buffer.alloc(0) }] }, from)
    }
    const links = proof.steps as readonly ForwardLink[]
    expect(withoutConfig(links.at(-1)!)).not.toThrow()
    expect(withoutConfig(links[0]!)).toThrow(ProofError)
  })

  const forward = () => {
    const proof = proofNamed('zerostate-to-last-0')
    const index = proof.steps.findIndex((s) => s.kind === 'liteServer.blockLinkForward')
    return { proof, index, link: proof.steps[index] as ForwardLink }
  }
  type ForwardLink = Extract<
    ReturnType<typeof proofOf>['steps'][number],
    { kind: 'liteServer.blockLinkForward' }
  >
  const withLink = (change: (link: ForwardLink) => ForwardLink) => {
    const { proof, index, link } = forward()
    return { ...proof, steps: proof.steps.map((s, i) => (i === index ? change(link) : s)) }
  }
  const rejected = (proof: ReturnType<typeof proofOf>, reason: RegExp) => {
    expect(() => new BlockProofChecker().verify(proof, proof.from)).toThrow(ProofError)
    expect(() => new BlockProofChecker().verify(proof, proof.from)).toThrow(reason)
  }

  test('signatures short of two thirds of the weight are refused', () => {
    rejected(
      withLink((link) => ({
        ...link,
        signatures: { ...link.signatures, signatures: link.signatures.signatures.slice(1) },
      })),
      /not enough/,
    )
  })
  test('a signature given twice is refused', () => {
    rejected(
      withLink((link) => {
        const [first] = link.signatures.signatures
        return { ...link, signatures: { ...link.signatures, signatures: [first!, first!] } }
      }),
      /signed twice/,
    )
  })
  test('a flipped bit in a signature is refused', () => {
    rejected(
      withLink((link) => {
        const [first, ...rest] = link.signatures.signatures
        const signature = Buffer.from(first!.signature)
        signature[10] = signature[10]! ^ 1
        return {
          ...link,
          signatures: { ...link.signatures, signatures: [{ ...first!, signature }, ...rest] },
        }
      }),
      /not valid/,
    )
  })
  test('signatures of another validator set are refused', () => {
    rejected(
      withLink((link) => ({ ...link, signatures: { ...link.signatures, validatorSetHash: 12345 } })),
      /another validator set/,
    )
  })
  test('a link to another block than its proof shows is refused', () => {
    rejected(
      withLink((link) => ({ ...link, to: { ...link.to, rootHash: Buffer.alloc(32, 7) } })),
      /proves|not for block/,
    )
  })
  test('a configuration of another key block is refused', () => {
    const later = proofNamed('zerostate-to-last-1').steps.find(
      (s) => s.kind === 'liteServer.blockLinkForward',
    ) as ForwardLink
    rejected(
      withLink((link) => ({ ...link, configProof: later.configProof })),
      /proves|not for block/,
    )
  })
  test('a proof that starts elsewhere is refused', () => {
    const proof = proofNamed('key-to-next')
    const elsewhere: BlockId = { ...proof.from, seqno: 17 }
    expect(() => new BlockProofChecker().verify(proof, elsewhere)).toThrow(ProofError)
  })
  test('links that do not chain are refused', () => {
    const proof = proofNamed('zerostate-to-last-0')
    rejected({ ...proof, steps: proof.steps.filter((_, i) => i !== 1) }, /does not continue/)
  })
})

describe('account states', () => {
  const states = recorded('account-states').filter((e) => e.function === 'liteServer.getAccountState')
  const read = (entry: Entry) => {
    const { arguments: args, answer } = readEntry(entry, 'liteServer.getAccountState')
    const address: RawAddress = { workchain: args.account.workchain, hash: args.account.id }
    return { args, answer, address }
  }
  const atBlock = states.filter((e) => read(e).args.id.workchain === -1 && read(e).args.id.seqno < 0xffffffff)

  test.each(atBlock.map((e) => [e.name, e] as const))('recorded state %s is proven', (_, entry) => {
    const { args, answer, address } = read(entry)
    const proven = verifyAccountState(answer, args.id, address)
    expect(proven.account === undefined).toBe(answer.state.length === 0)
  })

  test('a state of another account, an omitted state and a changed state are refused', () => {
    const present = atBlock.map(read).filter((r) => r.answer.state.length > 0 && r.address.workchain === 0)
    const [first, second] = [
      present[0]!,
      present.find((r) => !r.answer.state.equals(present[0]!.answer.state))!,
    ]
    expect(() =>
      verifyAccountState({ ...first.answer, state: second.answer.state }, first.args.id, first.address),
    ).toThrow(ProofError)
    expect(() =>
      verifyAccountState({ ...first.answer, state: Buffer.alloc(0) }, first.args.id, first.address),
    ).toThrow(ProofError)
    expect(() =>
      verifyAccountState(second.answer, first.args.id, { ...first.address, hash: Buffer.alloc(32, 9) }),
    ).toThrow(ProofError)
    const older = { ...first.args.id, rootHash: Buffer.alloc(32, 1) }
    expect(() => verifyAccountState({ ...first.answer, id: older }, older, first.address)).toThrow(ProofError)
  })

  test('every flipped byte of a proof is detected or has no effect', () => {
    const { args, answer, address } = read(atBlock.find((e) => read(e).answer.state.length > 0) as Entry)
    const expected = verifyAccountState(answer, args.id, address).account?.cell.hash()
    for (let at = 0; at < answer.proof.length; at += 7) {
      const proof = Buffer.from(answer.proof)
      proof[at] = proof[at]! ^ 0x10
      let got: Buffer | undefined
      try {
        got = verifyAccountState({ ...answer, proof }, args.id, address).account?.cell.hash()
      } catch (error) {
        expect(error).toBeInstanceOf(ProofError)
        continue
      }
      expect(got).toEqual(expected)
    }
  })
})

describe('configuration', () => {
  const configs = recorded('config').filter((e) => e.function.startsWith('liteServer.getConfig'))
  test.each(configs.map((e) => [e.name, e] as const))('recorded answer %s is proven', (_, entry) => {
    const name = entry.function as 'liteServer.getConfigAll'
    const { arguments: args, answer } = readEntry(entry, name)
    const config = verifyConfig(answer, args.id)
    const wanted = (args as { paramList?: readonly number[] }).paramList ?? [8, 34]
    for (const index of wanted) findConfigParam(config, index)
    expect(() => verifyConfig(answer, { ...args.id, rootHash: Buffer.alloc(32, 3), seqno: 1 })).toThrow(
      ProofError,
    )
  })
})

test('recorded transaction lists chain from the requested transaction and from no other', () => {
  const lists = recorded('transactions').filter(
    (e) => e.function === 'liteServer.getTransactions' && e.answer_type === 'liteServer.transactionList',
  )
  expect(lists.length).toBeGreaterThan(0)
  for (const entry of lists) {
    const { arguments: args, answer } = readEntry(entry, 'liteServer.getTransactions')
    expect(verifyTransactionList(answer, args).transactions.length).toBe(answer.ids.length)
    expect(() => verifyTransactionList(answer, { ...args, hash: Buffer.alloc(32, 5) })).toThrow(ProofError)
  }
})

test('a transaction list that is empty or longer than asked for is not believed', () => {
  const entry = recorded('transactions').find((e) => e.name === 'getTransactions-tester-middle')!
  const { arguments: args, answer } = readEntry(entry, 'liteServer.getTransactions')
  const empty = { ids: [], transactions: Buffer.alloc(0) }
  expect(() => verifyTransactionList(empty, args)).toThrow('the list is empty')
  const count = answer.ids.length - 1
  expect(() => verifyTransactionList(answer, { ...args, count })).toThrow('more transactions than asked for')
})
