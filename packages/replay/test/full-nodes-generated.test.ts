import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDhtConfig } from '@shardwalk/dht'
import { type BlockId, sameBlock } from '@shardwalk/model'
import { BlockProofChecker } from '@shardwalk/proofs'
import { FullNodeSource, type FullNodeSourceOptions, type Recording } from '@shardwalk/sources'
import { generatedRecording } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ReplayChain, ReplayFullNodes } from '../src/index.ts'

// Full nodes of a chain whose validators change from one form of signatures to the other.

const STEPS = 130
const SIMPLEX_FROM = 60

const nothing = () => {}
const log: FullNodeSourceOptions['log'] = {
  ...{ debug: nothing, info: nothing, warn: nothing, error: nothing },
  child: () => log,
}

let folder: string
let recording: Recording
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'generated-'))
  const options = { seed: 83, accounts: 6, transactions: 1, keyBlocks: 0.2, isRestless: true }
  recording = await generatedRecording(folder, { ...options, steps: STEPS, simplexFrom: SIMPLEX_FROM })
})
afterAll(async () => {
  await recording?.close()
  await rm(folder, { recursive: true })
})

const idOf = (seqno: number): BlockId =>
  seqno === 0 ? recording.network.zerostate : recording.step(seqno)!.block.id

async function withSource(
  head: number,
  act: (source: FullNodeSource, chain: ReplayChain) => Promise<void>,
  observer?: FullNodeSourceOptions['observer'],
): Promise<void> {
  const chain = new ReplayChain(recording, head)
  const fullNodes = await ReplayFullNodes.start({ chain, nodes: [{}, {}] })
  const source = await FullNodeSource.open({
    dht: readDhtConfig({ dht: fullNodes.dhtConfig })!,
    zerostateId: recording.network.zerostate,
    host: '127.0.0.1',
    log,
    observer,
  })
  try {
    await act(source, chain)
  } finally {
    await source.close()
    await fullNodes.close()
  }
}

test('every block is found from genesis to the head, and proofs lead over the change', () =>
  withSource(STEPS, async (source) => {
    expect(await source.head({ timeoutMs: 30_000 })).toEqual(idOf(STEPS))
    for (let seqno = 1; seqno <= STEPS; seqno++) {
      expect(await source.masterchainBlockId(seqno)).toEqual(idOf(seqno))
      const { shards, block } = recording.step(seqno)!
      for (const one of [...shards, block])
        expect((await source.getBlock(one.id)).equals(await recording.read(one))).toBe(true)
    }
    // The end of the chain was known before.
    expect(source.archives.counts).toMatchObject({ slices: 1, refused: 0 })
    const checker = new BlockProofChecker()
    const forms = new Set<string>()
    for (let at = idOf(0); !sameBlock(at, idOf(STEPS)); ) {
      const asked = { knownBlock: at, targetBlock: idOf(STEPS) }
      const { value: proof } = await source.proofs.queryFrom('liteServer.getBlockProof', asked)
      checker.verify(proof, at)
      for (const link of proof.steps) if ('signatures' in link) forms.add(link.signatures.kind)
      expect(proof.to.seqno).toBeGreaterThan(at.seqno)
      at = proof.to
    }
    expect([...forms].map((form) => form.split('.').at(-1))).toEqual(['ordinary', 'simplex'])
  }))

test('new blocks come from broadcasts before and after the change', () => {
  const received: string[] = []
  const onNewBlock = (how: string) => received.push(how)
  const act = async (source: FullNodeSource, chain: ReplayChain) => {
    await source.head({ timeoutMs: 30_000 })
    const isReceived = (first: number) => received.indexOf('broadcast', first) >= 0
    const ofSimplex = SIMPLEX_FROM - chain.headSeqno - 1
    // On a busy machine, nodes may be asked for a block before its broadcast is read.
    for (let seqno = chain.headSeqno + 1; seqno <= STEPS && !isReceived(ofSimplex); seqno++) {
      chain.setHead(seqno)
      await expect.poll(() => source.following.newest, { timeout: 30_000 }).toEqual(idOf(seqno))
    }
    expect([received.indexOf('broadcast') < ofSimplex, isReceived(ofSimplex)]).toEqual([true, true])
  }
  return withSource(SIMPLEX_FROM - 10, act, { onNewBlock, onLookup() {} })
})
