import type { BlockId } from '@shardwalk/model'
import { BlockProofChecker, ProofError } from '@shardwalk/proofs'
import { GeneratedProofs } from '@shardwalk/testkit'
import { expect, test } from 'vitest'
import {
  BlockProofServers,
  honest,
  inventedBlock,
  type Proof,
  recordedBlock,
} from '../../test/block-proof-servers.ts'
import { LiteClient } from '../lite-client.ts'
import { TrustedHead } from './trusted-head.ts'

const ZEROSTATE = recordedBlock(0)
const HEAD = recordedBlock(529)
const OLD = recordedBlock(5)

const trustOver = (servers: BlockProofServers, anchor: BlockId = ZEROSTATE) =>
  new TrustedHead(new LiteClient(servers.pool), { anchor, known: async () => undefined })

/** The second answer on the way from the zerostate. */
const toHead = () => honest({ mode: 0x1001, knownBlock: recordedBlock(380), targetBlock: HEAD })!

/** A client whose proofs the test lets end. */
function openProofs() {
  const asked: number[] = []
  const answers = new Map<number, () => void>()
  const ask = (_: string, { targetBlock }: { readonly targetBlock: BlockId }) => {
    asked.push(targetBlock.seqno)
    return new Promise((resolve) =>
      answers.set(targetBlock.seqno, () => resolve({ to: targetBlock, keyBlocks: [] })),
    )
  }
  const answer = (seqno: number) => answers.get(seqno)!()
  return { client: { ask } as unknown as LiteClient, asked, answer }
}

const emptyProof = (at: BlockId): Proof => ({ complete: false, from: at, to: at, steps: [] })

test('the head is proven from the zerostate, and an older block from the head', async () => {
  const servers = new BlockProofServers({ honest })
  const trust = trustOver(servers)
  await trust.prove(HEAD)
  expect(trust.latest).toEqual(HEAD)
  await trust.prove(OLD)
  expect([servers.asked.length, servers.reported]).toEqual([3, []])
})

test('an invented head is not proven by a server that answers without links', async () => {
  const servers = new BlockProofServers({ dishonest: ({ knownBlock }) => emptyProof(knownBlock) })
  const trust = trustOver(servers)
  await expect(trust.prove(inventedBlock(999_999))).rejects.toThrow('has no steps')
  expect(trust.latest).toEqual(ZEROSTATE)
  expect(servers.reported).toEqual(['dishonest'])
})

const away = honest({ mode: 0x1001, knownBlock: HEAD, targetBlock: OLD })!

test.each<[string, (known: BlockId) => Proof]>([
  ['has no links', emptyProof],
  ['is complete elsewhere', () => ({ ...away, complete: true })],
])('a server whose proof %s is reported, and the proof of another one used', async (_, forge) => {
  const servers = new BlockProofServers({ dishonest: ({ knownBlock }) => forge(knownBlock), honest })
  await trustOver(servers, HEAD).prove(ZEROSTATE)
  expect(servers.reported).toEqual(['dishonest'])
})

test('valid links that lead away from the block are refused', async () => {
  const servers = new BlockProofServers({ dishonest: () => ({ ...away, complete: false }) })
  await expect(trustOver(servers, HEAD).prove(inventedBlock(300))).rejects.toThrow('away from 300')
  expect(servers.reported).toEqual(['dishonest'])
})

test('a newer block is proven from the newest key block, whose proofs servers keep', async () => {
  const servers = new BlockProofServers({ honest })
  const trust = trustOver(servers)
  await trust.prove(HEAD)
  await expect(trust.prove(inventedBlock(600))).rejects.toThrow('block is not known')
  const { keyBlocks } = new BlockProofChecker().verify(toHead(), recordedBlock(380))
  expect(servers.asked.at(-1)!.knownBlock).toEqual(keyBlocks.at(-1))
})

test('a head older than the newest one is proven without it: the server may not have it yet', async () => {
  const servers = new BlockProofServers({ honest })
  const trust = trustOver(servers)
  await trust.prove(HEAD)
  await expect(trust.proveHead(inventedBlock(528))).rejects.toThrow('block is not known')
  expect(trust.latestKeyBlock.seqno).toBeLessThan(528)
  expect(servers.asked.at(-1)!.knownBlock).toEqual(trust.latestKeyBlock)
})

test('proofs of older blocks do not delay the head, and few run at a time', async () => {
  const { client, asked, answer } = openProofs()
  const trust = new TrustedHead(client, { anchor: HEAD, known: async () => undefined })
  const older = Array.from({ length: 100 }, (_, i) => trust.prove(inventedBlock(400 + i)))
  const head = inventedBlock(530)
  const proven = trust.proveHead(head)
  await expect.poll(() => asked.length).toBe(9)
  answer(530)
  await proven
  expect(trust.latest).toEqual(head)
  answer(400)
  await older[0]
  await expect.poll(() => asked.slice(9)).toEqual([408])
})

test('proofs that do not end prove nothing', async () => {
  const endless = {
    ask: async (_: string, { knownBlock }: { knownBlock: BlockId }) => ({ to: knownBlock, keyBlocks: [] }),
  }
  const trust = new TrustedHead(endless as unknown as LiteClient, {
    anchor: ZEROSTATE,
    known: async () => undefined,
  })
  await expect(trust.prove(inventedBlock(999_999))).rejects.toThrow(ProofError)
})

test('a head that validators of another time signed is not proven, however often they change', async () => {
  const steps = 60
  const chain = new GeneratedProofs({
    ...{ seed: 92, steps, accounts: 2, transactions: 1, keyBlocks: 0.5, validatorChanges: 0.8 },
  })
  const { blocks } = chain
  const servers = new BlockProofServers({
    dishonest({ knownBlock, targetBlock }) {
      const proof = chain.answer(knownBlock.seqno, targetBlock!.seqno)
      const { from, to } = proof.steps.at(-1)!
      const { validators } = blocks[to.seqno === 1 ? steps : to.seqno - 1]!
      const forged = chain.link(from.seqno, to.seqno, validators)
      return { ...proof, steps: [...proof.steps.slice(0, -1), forged] }
    },
    honest: ({ knownBlock, targetBlock }) => chain.answer(knownBlock.seqno, targetBlock!.seqno),
  })
  const trust = trustOver(servers, blocks[0]!.id)
  let lies = 0
  for (let seqno = 1; seqno <= steps; seqno++) {
    await trust.proveHead(blocks[seqno]!.id)
    lies += servers.reported.splice(0).length
    expect(trust.latest).toEqual(blocks[seqno]!.id)
    const keyBlock = blocks.findLast(({ isKey }, at) => isKey && at <= seqno)!
    expect(trust.latestKeyBlock).toEqual(keyBlock.id)
  }
  expect(lies).toBeGreaterThan(steps / 4)
})
