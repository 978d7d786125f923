import { readFileSync } from 'node:fs'
import { decodeBlock } from '@shardwalk/blocks'
import { type Cell as CellTree, openMerkleProof, parseBoc, parseRoot } from '@shardwalk/cells'
import { type BlockId, formatShortId, type RawAddress } from '@shardwalk/model'
import { BlockProofChecker, openBlockProof, ProofError, verifyAccountState } from '@shardwalk/proofs'
import { Recording } from '@shardwalk/sources'
import { isLong, swept } from '@shardwalk/testkit/runs'
import {
  decodeAnswer,
  encodeFunction,
  encodeQuery,
  type LiteArguments,
  type LiteFunctionName,
  type LiteResults,
} from '@shardwalk/tl'
import { Cell, loadAccount } from '@ton/core'
import { afterAll, expect, test } from 'vitest'
import { LiteService, ReplayChain } from './index.ts'
import { findShardLeaf, readMcExtra, readShardDescr } from './layout.ts'
import { ProofReader } from './proof-reader.ts'

const recording = await Recording.open('fixtures/chain')
const chain = new ReplayChain(recording)
const service = new LiteService(chain, { now: () => 0 })
afterAll(() => recording.close())

async function ask<N extends LiteFunctionName>(name: N, args: LiteArguments[N]): Promise<LiteResults[N]> {
  const answer = decodeAnswer(name, (await service.answer(encodeQuery(encodeFunction(name, args))))!)
  if (!answer.ok) throw new Error(answer.error.message)
  return answer.value
}

const raw = (address: string): RawAddress => {
  const [workchain, hash] = address.split(':') as [string, string]
  return { workchain: Number(workchain), hash: Buffer.from(hash, 'hex') }
}
const mc = (seqno: number): BlockId => recording.step(seqno)!.block.id
const blocksOf = (seqno: number) => [...recording.step(seqno)!.shards, recording.step(seqno)!.block]

test('every block leads to the state with its hash, across splits and merges', async () => {
  for (let seqno = 1; seqno <= 529; seqno++)
    for (const block of blocksOf(seqno)) {
      const bag = parseBoc(await recording.read(block))
      const newHash = bag
        .exoticSlice(bag.ref(bag.root, 2))
        .skip(8 + 256)
        .loadBytes(32)
      const state = await chain.state(block.id)
      expect(state.hash().equals(newHash), formatShortId(block.id)).toBe(true)
    }
})

interface Fact {
  readonly state: string
  readonly balance: string
  readonly last_transaction?: { readonly lt: string; readonly hash: string }
}

test('accounts at the end equal those of the node, each with a valid proof', async () => {
  const facts = JSON.parse(readFileSync('fixtures/chain/facts.json', 'utf8')) as {
    accounts: Record<string, Fact>
  }
  let checked = 0
  for (const [address, fact] of swept(Object.entries(facts.accounts), 3)) {
    const account = raw(address)
    const answer = await ask('liteServer.getAccountState', {
      id: mc(529),
      account: { workchain: account.workchain, id: account.hash },
    })
    const proven = verifyAccountState(answer, mc(529), account)
    if (!proven.account) expect(['nonexist', 'uninit', 'uninitialized']).toContain(fact.state)
    else {
      const { storage } = loadAccount(Cell.fromBoc(answer.state)[0]!.beginParse().skip(1))
      expect([address, storage.balance.coins.toString()]).toEqual([address, fact.balance])
      expect(proven.account.lastTransHash.toString('hex')).toBe(fact.last_transaction?.hash)
    }
    checked++
  }
  expect(checked).toBeGreaterThan(isLong ? 290 : 90)
})

test('an account is proven at every masterchain block of a range with splits and merges', async () => {
  const account = raw('0:ecd8c2324d3495f084bd2038762f91234f45af0981dcc0ded78f458156551b63')
  for (let seqno = 130; seqno <= 400; seqno += 9) {
    const answer = await ask('liteServer.getAccountState', {
      id: mc(seqno),
      account: { workchain: 0, id: account.hash },
    })
    expect(verifyAccountState(answer, mc(seqno), account).shardBlock).toEqual(answer.shardblk)
    expect(() => verifyAccountState(answer, mc(seqno - 1), account)).toThrow(ProofError)
  }
})

test('every transaction is found by lt in its block and leads back to the first of the account', async () => {
  let found = 0
  const last = new Map<string, { account: RawAddress; lt: bigint; hash: Buffer; count: number }>()
  for (let seqno = 167; seqno <= 200; seqno++)
    for (const block of blocksOf(seqno)) {
      const { transactions } = decodeBlock({ id: block.id, bytes: await recording.read(block) })
      for (const { account, lt, hash } of transactions) {
        const id = { workchain: account.workchain, shard: account.hash.readBigUInt64BE(0), seqno: 0 }
        const header = await ask('liteServer.lookupBlock', { mode: 2, id, lt })
        expect(header.id).toEqual(block.id)
        const key = account.hash.toString('hex')
        last.set(key, { account, lt, hash, count: (last.get(key)?.count ?? 0) + 1 })
        found++
      }
    }
  expect(found).toBeGreaterThan(700)
  for (const { account, lt, hash } of [...last.values()].slice(0, 20)) {
    const args = { count: 16, account: { workchain: account.workchain, id: account.hash }, lt, hash }
    const { ids, transactions } = await ask('liteServer.getTransactions', args)
    expect(Cell.fromBoc(transactions)).toHaveLength(ids.length)
  }
})

test('pages of listBlockTransactions, forward and in reverse, add up to the block', async () => {
  const block = recording.step(200)!.shards[0]!
  const { transactions } = decodeBlock({ id: block.id, bytes: await recording.read(block) })
  const expected = transactions.map(({ account, lt }) => `${account.hash.toString('hex')} ${lt}`)
  for (const reverse of [0, 64]) {
    const seen: string[] = []
    for (let after: { account: Buffer; lt: bigint } | undefined, more = true; more; ) {
      const mode = 7 | reverse | (after ? 128 : 0)
      const page = await ask('liteServer.listBlockTransactions', {
        id: block.id,
        mode,
        count: 3,
        ...(after && { after }),
      })
      for (const { account, lt } of page.ids) seen.push(`${account!.toString('hex')} ${lt}`)
      const end = page.ids.at(-1)
      after = end && { account: end.account!, lt: end.lt! }
      more = page.incomplete
    }
    expect(seen).toEqual(reverse ? expected.reverse() : expected)
  }
})

test('any masterchain block is proven from any other: forward by signatures, back by states', async () => {
  const checker = new BlockProofChecker()
  for (const [from, to] of [
    [1, 529],
    [200, 201],
    [300, 77],
    [18, 500],
  ] as const) {
    let at = mc(from)
    for (let complete = false; !complete; ) {
      const proof = await ask('liteServer.getBlockProof', { mode: 1, knownBlock: at, targetBlock: mc(to) })
      at = checker.verify(proof, at).to
      complete = proof.complete
    }
    expect(at).toEqual(mc(to))
  }
})

test('every shard block is linked to its masterchain block, over up to six links', async () => {
  const lengths = new Set<number>()
  for (let seqno = 120; seqno <= 400; seqno += isLong ? 1 : 5)
    for (const { id } of recording.step(seqno)!.shards) {
      const { masterchainId, links } = await ask('liteServer.getShardBlockProof', { id })
      expect(masterchainId).toEqual(mc(seqno))
      links.forEach((link, i) => {
        const shown =
          i === 0 ? topShown(link.proof, masterchainId, link.id) : prevShown(link.proof, links[i - 1]!.id)
        expect(shown.map((hash) => hash.toString('hex'))).toContain(link.id.rootHash.toString('hex'))
      })
      expect(links.at(-1)!.id).toEqual(id)
      lengths.add(links.length)
    }
  expect(Math.max(...lengths)).toBeGreaterThan(3)
})

/** Root hash of the shard top in a proof of a masterchain block. */
function topShown(proof: Buffer, block: BlockId, top: BlockId): Buffer[] {
  const root = openMerkleProof(parseRoot(proof), block.rootHash)
  const [info, valueFlow, stateUpdate, extra] = root.refs as [CellTree, CellTree, CellTree, CellTree]
  const reader = new ProofReader(root)
  const { shardHashes } = readMcExtra(reader, { root, info, valueFlow, stateUpdate, extra })
  const found = findShardLeaf(reader, shardHashes, { ...top, exact: true })
  return found ? [readShardDescr(found.leaf).rootHash] : []
}

const prevShown = (proof: Buffer, block: BlockId): Buffer[] =>
  openBlockProof(proof, block, 'link').header.prev.map(({ rootHash }) => rootHash)

test('a block is found by its time for any shard prefix', async () => {
  for (const seqno of [100, 200, 300]) {
    const { block } = recording.step(seqno)!
    const { id } = await ask('liteServer.lookupBlock', {
      mode: 4,
      id: { workchain: -1, shard: 1n << 63n, seqno: 0 },
      utime: block.genUtime,
    })
    expect(recording.find(id)!.genUtime).toBe(block.genUtime)
  }
})

test('nothing newer than the head is known, not even by its full id', async () => {
  const behind = new LiteService(new ReplayChain(recording, 100), { now: () => 0 })
  const answerTo = async <N extends LiteFunctionName>(name: N, args: LiteArguments[N]) =>
    decodeAnswer(name, (await behind.answer(encodeQuery(encodeFunction(name, args))))!)
  expect(await answerTo('liteServer.getBlock', { id: mc(100) })).toMatchObject({ ok: true })
  for (const id of [mc(101), recording.step(101)!.shards[0]?.id ?? mc(102)])
    expect(await answerTo('liteServer.getBlock', { id })).toMatchObject({ ok: false, error: { code: 651 } })
  const newer = { mode: 1, id: { workchain: -1, shard: 1n << 63n, seqno: 101 } }
  expect(await answerTo('liteServer.lookupBlock', newer)).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('(last known masterchain block: 100)') },
  })
})
