import {
  Builder,
  buildDict,
  type Cell,
  createMerkleProof,
  EMPTY_CELL,
  lookup,
  serializeBoc,
} from '@shardwalk/cells'
import { LiteServerError } from '@shardwalk/liteserver'
import { type BlockId, masterchainId, sameBlock } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import { openSingleProof, stateConfig } from '@shardwalk/proofs'
import { blockOfProofs, recordedBlockProofs } from '@shardwalk/testkit/recorded-block-proofs'
import type { LiteResults } from '@shardwalk/tl'
import { expect, test } from 'vitest'
import { TrustAnchors } from './anchors.ts'
import { BlockProver } from './block-prover.ts'
import { NotProvableNow, OnlyFalseProofs } from './errors.ts'

type Proof = LiteResults['liteServer.getBlockProof']

const recorded = recordedBlockProofs()
const block = (seqno: number): BlockId => blockOfProofs(recorded, seqno)

const LAST = 529
/** No server has a proof of it. */
const UNKNOWN = { ...masterchainId(300), rootHash: Buffer.alloc(32, 7), fileHash: Buffer.alloc(32, 7) }
/** The last key block that the first answer on the way to `LAST` reaches. */
const HALF_WAY = 380

interface Servers {
  /** What the servers from the first on make of an honest proof; those behind them are honest. */
  readonly forgeries?: readonly ((proof: Proof) => Proof)[]
  readonly anchors?: readonly BlockId[]
}

function setUp({ forgeries = [], anchors = [block(0)] }: Servers = {}) {
  const reports: string[] = []
  const remembered: number[] = []
  let asked = 0
  const prover = new BlockProver({
    log: silentLogger,
    anchors: new TrustAnchors(anchors),
    onKeyBlocks: async (ids) => void remembered.push(...ids.map(({ seqno }) => seqno)),
    pool: {
      // As the pool of lite servers: who was reported is not asked again.
      async queryFrom(name, { knownBlock, targetBlock }) {
        asked++
        const server = `server ${reports.length}`
        const found = recorded.find(
          ({ asked }) =>
            sameBlock(asked.knownBlock, knownBlock) &&
            asked.targetBlock !== undefined &&
            sameBlock(asked.targetBlock, targetBlock!),
        )
        const forge = forgeries[reports.length]
        if (forge) return { server, value: forge(found?.proof ?? recorded[0]!.proof) }
        if (!found) throw new LiteServerError(server, name, -400, 'block is not known')
        return { server, value: found.proof }
      },
      report: (server, problem) => void reports.push(`${server}: ${problem}`),
      lookupBlock: () => Promise.reject(new Error('not asked')),
    },
  })
  const prove = (target: BlockId) => prover.prove(target, new AbortController().signal)
  return { prove, reports, remembered, asked: () => asked }
}

test('signatures lead from the zerostate to the last block, over every key block in order', async () => {
  const { prove, remembered, asked, reports } = setUp()
  const path = await prove(block(LAST))
  expect(path.from).toEqual(block(0))
  expect(path.keyBlocks.map(({ seqno }) => seqno)).toEqual(remembered)
  expect(remembered).toEqual([...remembered].sort((a, b) => a - b))
  expect(remembered).toContain(HALF_WAY)
  expect([asked(), reports]).toEqual([2, []])
})

test('what was proven is trusted: the next proof begins at the newest key block', async () => {
  const { prove, asked } = setUp()
  await prove(block(LAST))
  const before = asked()
  const again = await prove(block(HALF_WAY))
  expect(again).toEqual({ from: block(HALF_WAY), keyBlocks: [], lastProof: '' })
  expect(asked()).toBe(before)
})

test('an older block is proven backwards from the oldest trusted one', async () => {
  const { prove, remembered } = setUp({ anchors: [block(LAST)] })
  expect(await prove(block(5))).toMatchObject({ from: block(LAST), keyBlocks: [] })
  expect(remembered).toEqual([])
})

type Forward = Extract<Proof['steps'][number], { kind: 'liteServer.blockLinkForward' }>
const withForward =
  (change: (link: Forward) => Forward) =>
  (proof: Proof): Proof => {
    const at = proof.steps.findIndex(({ kind }) => kind === 'liteServer.blockLinkForward')
    return { ...proof, steps: proof.steps.map((step, i) => (i === at ? change(step as Forward) : step)) }
  }

const FORGERIES: Readonly<Record<string, (proof: Proof) => Proof>> = {
  'signatures short of two thirds': withForward((link) => ({
    ...link,
    signatures: { ...link.signatures, signatures: link.signatures.signatures.slice(1) },
  })),
  'signatures of another validator set': withForward((link) => ({
    ...link,
    signatures: { ...link.signatures, validatorSetHash: link.signatures.validatorSetHash ^ 1 },
  })),
  'a link to another block': withForward((link) => ({
    ...link,
    to: { ...link.to, rootHash: Buffer.alloc(32, 7) },
  })),
  'links out of order': (proof) => ({ ...proof, steps: [...proof.steps].reverse() }),
  'no links at all': (proof) => ({ ...proof, steps: [], to: proof.from }),
  'an end that is not reached': (proof) => ({ ...proof, complete: true, steps: proof.steps.slice(0, 1) }),
  'a proof from another block': () => recorded.find(({ proof }) => proof.from.seqno === HALF_WAY)!.proof,
}

test.each(Object.entries(FORGERIES))(
  '%s: the server is reported, and the proof of another one used',
  async (_, forge) => {
    const { prove, reports, remembered } = setUp({ forgeries: [forge] })
    expect((await prove(block(LAST))).from).toEqual(block(0))
    expect(reports).toHaveLength(1)
    expect(reports[0]).toContain('server 0: false block proof')
    expect(remembered).toContain(HALF_WAY)
  },
)

test('a valid proof that leads away from the target is refused: it could go on for ever', async () => {
  const away = recorded.find(({ proof }) => proof.from.seqno === LAST && proof.to.seqno === 5)!.proof
  const { prove, reports } = setUp({
    anchors: [block(LAST)],
    forgeries: [() => ({ ...away, complete: false })],
  })
  await expect(prove(UNKNOWN)).rejects.toThrow(NotProvableNow)
  expect(reports).toEqual([expect.stringContaining('leads from 529 to 5, away from 300')])
})

test('if every server sends a false proof, none is believed, and the last one is the cause', async () => {
  const forgery = FORGERIES['no links at all']!
  const { prove, reports, remembered } = setUp({ forgeries: Array(9).fill(forgery) })
  const error = await prove(block(LAST)).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(OnlyFalseProofs)
  expect(error).toMatchObject({ retry: 'later', message: expect.stringContaining(String(LAST)) })
  expect((error as Error).cause).toMatchObject({ code: 'proof_failed' })
  expect([reports.length, remembered]).toEqual([5, []])
})

test('a block that no server knows is not provable now, and nobody is blamed', async () => {
  const { prove, reports } = setUp()
  const error = await prove(UNKNOWN).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(NotProvableNow)
  expect(error).toMatchObject({ retry: 'later', message: expect.stringContaining('300') })
  expect(reports).toEqual([])
})

/** A state with these configuration parameters. */
function stateWith(parameters: Readonly<Record<number, Cell>>): Cell {
  const entries = Object.entries(parameters)
  const config = buildDict(
    entries.map(([index, parameter]) => [Number(index), new Builder().storeRef(parameter)] as const),
    32,
  )!
  const extra = new Builder().storeUint(0xcc26, 16).storeBit(false).storeBytes(Buffer.alloc(32))
  // Up to before_split, then queue, accounts and balances.
  const state = new Builder().storeUint(0x9023afe2, 32).storeUint(0n, 329).storeBit(true)
  for (let part = 0; part < 3; part++) state.storeRef(EMPTY_CELL)
  return state.storeRef(extra.storeRef(config).endCell()).endCell()
}

test.each([34, 35])('a newer form of parameter %d is no forgery, and the error names it', async (index) => {
  const state = stateWith({ [index]: new Builder().storeUint(0x13, 8).endCell() })
  const from = { ...masterchainId(0), rootHash: state.hash(), fileHash: Buffer.alloc(32) }
  const configProof = serializeBoc(createMerkleProof(state, () => true))
  const link = withForward((step) => ({ ...step, from, configProof }))
  const { prove, reports } = setUp({ anchors: [from], forgeries: [(proof) => ({ ...link(proof), from })] })
  await expect(prove(block(LAST))).rejects.toMatchObject({
    code: 'form_not_known',
    message: expect.stringContaining(`config parameter ${index}: unknown tag 13`),
  })
  expect(reports).toEqual([])
})

test('temporary validators sign instead of the elected ones, whatever form those have', async () => {
  const { steps } = recorded.find(({ proof }) => proof.from.seqno === 0)!.proof
  const [first] = steps as readonly Forward[]
  const config = stateConfig(openSingleProof(first!.configProof, block(0).rootHash, 'sample'), 'sample')
  const parameter = (index: number) => lookup(config.root.clone(), 32, index)!.loadRefCell()
  const elected = new Builder().storeUint(0x13, 8).endCell()
  const state = stateWith({ 28: parameter(28), 34: elected, 35: parameter(34) })
  const from = { ...block(0), rootHash: state.hash() }
  const link = { ...first!, from, configProof: serializeBoc(createMerkleProof(state, () => true)) }
  const proof = { complete: true, from, to: link.to, steps: [link] }
  const { prove, reports } = setUp({ anchors: [from], forgeries: [(other) => ({ ...other, ...proof })] })
  expect(await prove(link.to)).toMatchObject({ from })
  expect(reports).toEqual([])
})
