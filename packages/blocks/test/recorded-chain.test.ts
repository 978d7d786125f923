import { applyMerkleUpdate, Builder, type Cell, parseBoc } from '@shardwalk/cells'
import {
  type BlockId,
  type DecodedBlock,
  type DecodedTransaction,
  formatShortId,
  type RawBlock,
} from '@shardwalk/model'
import { isLong } from '@shardwalk/testkit/runs'
import {
  configGlobalVersion,
  findOldMcBlock,
  forEachInMsg,
  forEachOutMsg,
  forEachShardAccount,
  loadMcStateExtra,
  loadShardState,
} from '@shardwalk/tlb'
import { beforeAll, expect, test } from 'vitest'
import { decodeOpenBlock } from '../src/decode-block.ts'
import { decodeSkeleton, openBlock, walkBatch } from '../src/index.ts'
import { hex, toId } from './fixtures.ts'
import {
  accountFacts,
  openRecordedChain,
  type Statistics,
  sentMessages,
  zerostate,
} from './recorded-chain.ts'

const chain = openRecordedChain()
const rawBlocks = chain.steps.flatMap((step) =>
  [...step.shards, step.block].map((block) => chain.read(block)),
)

type Counts = Record<string, number>
const add = (counts: Counts, key: string) => {
  counts[key] = (counts[key] ?? 0) + 1
}

/** The whole chain decoded once and counted by the keys of the index. */
class Census {
  readonly messages: Counts = {}
  readonly byType: Counts = {}
  readonly compute: Counts = {}
  readonly actionResult: Counts = {}
  readonly inMsgDescr: Counts = {}
  readonly outMsgDescr: Counts = {}
  readonly totals: Counts = {}
  readonly accounts = new Set<string>()
  readonly last = new Map<string, DecodedTransaction>()
  readonly transactionsOf: Counts = {}
  /** Normalised hash by message hash. */
  readonly external = new Map<string, string>()

  bags = 0
  readonly wrongBags: string[] = []

  private checkBag(boc: Buffer | undefined, hash: Buffer | undefined): void {
    if (boc === undefined) return
    const bag = parseBoc(boc)
    this.bags++
    if (!bag.hashEquals(bag.root, hash!)) this.wrongBags.push(hex(hash!))
  }

  add(raw: RawBlock): void {
    const open = openBlock(raw)
    forEachInMsg(open.extra.inMsgDescr, ({ kind }) => add(this.inMsgDescr, `msg_import_${kind}`))
    forEachOutMsg(open.extra.outMsgDescr, ({ kind }) => add(this.outMsgDescr, `msg_export_${kind}`))
    this.addBlock(decodeOpenBlock(open))
  }

  private addBlock({ id, header, transactions }: DecodedBlock): void {
    add(this.totals, id.workchain < 0 ? 'masterchain_blocks' : 'shard_blocks')
    if (header.keyBlock) add(this.totals, 'key_blocks')
    if (header.afterSplit) add(this.totals, 'after_split')
    if (header.afterMerge) add(this.totals, 'after_merge')
    for (const transaction of transactions) {
      const { account, description, inMsg, outMsgs, stateAfter } = transaction
      for (const message of inMsg ? [inMsg, ...outMsgs] : outMsgs) {
        this.checkBag(message.body, message.bodyHash)
        this.checkBag(message.initState, message.initStateHash)
      }
      this.checkBag(stateAfter?.code, stateAfter?.codeHash)
      this.checkBag(stateAfter?.data, stateAfter?.dataHash)
      const address = `${account.workchain}:${hex(account.hash)}`
      this.last.set(address, transaction)
      add(this.transactionsOf, address)
      if (inMsg?.kind === 'external_in') this.external.set(hex(inMsg.hash), hex(inMsg.hashNorm ?? inMsg.hash))
      add(this.totals, 'transactions')
      add(this.totals, id.workchain < 0 ? 'transactions_masterchain' : 'transactions_basechain')
      this.accounts.add(address)
      add(this.byType, description.kind === 'ord' ? 'generic' : 'tick-tock')
      const compute = description.computePhase!
      add(
        this.compute,
        compute.skipped ? `skipped ${compute.reason.replace('_', '-')}` : `exit ${compute.exitCode}`,
      )
      if (description.actionPhase) add(this.actionResult, String(description.actionPhase.resultCode))
      if (description.aborted) add(this.totals, 'aborted')
      if (description.destroyed) add(this.totals, 'destroyed')
      if (inMsg) add(this.messages, inMsg.kind === 'internal' ? 'in_internal' : 'in_external')
      if (inMsg?.bounced) add(this.totals, 'bounced_in')
      for (const message of outMsgs)
        add(this.messages, message.kind === 'internal' ? 'out_internal' : 'out_external')
    }
  }
}

const census = new Census()
beforeAll(() => {
  for (const raw of rawBlocks) census.add(raw)
})

test('every count over the whole chain equals that of another implementation', () => {
  const { statistics } = chain
  expect(census.messages).toEqual(statistics.messages)
  expect(census.byType).toEqual(statistics.by_type)
  expect(census.compute).toEqual(statistics.compute)
  expect(census.actionResult).toEqual(statistics.action_result)
  expect(census.inMsgDescr).toEqual(statistics.in_msg_descr)
  expect(census.outMsgDescr).toEqual(statistics.out_msg_descr)
  for (const [key, count] of Object.entries(census.totals))
    expect([key, count]).toEqual([key, statistics[key as keyof Statistics]])
  expect(census.accounts.size).toBe(statistics.accounts)
})

test('every body, init, code and data cell has the stated hash', () => {
  expect(census.bags).toBeGreaterThan(10_000)
  expect(census.wrongBags).toEqual([])
})

test('normalised hashes equal those the senders computed', () => {
  const found = sentMessages().filter((sent) => sent.normalized_hash && census.external.has(sent.ext_hash))
  expect(found.length).toBeGreaterThan(500)
  for (const { ext_hash, normalized_hash } of found)
    expect(census.external.get(ext_hash)).toBe(normalized_hash)
})

test('the latest state of every named account equals that of the node at the final block', () => {
  const facts = Object.entries(accountFacts()).filter(([, fact]) => fact.last_transaction)
  expect(facts.length).toBeGreaterThan(250)
  for (const [address, fact] of facts) {
    const { lt, hash, stateAfter } = census.last.get(address)!
    expect([address, String(lt), hex(hash)]).toEqual([
      address,
      fact.last_transaction!.lt,
      fact.last_transaction!.hash,
    ])
    expect(census.transactionsOf[address]).toBe(fact.transactions)
    const { status, balance, codeHash, dataHash, frozenHash, extraCurrencies } = stateAfter!
    const extra =
      extraCurrencies && Object.fromEntries([...extraCurrencies].map(([id, amount]) => [id, String(amount)]))
    expect([address, status, String(balance), extra]).toEqual([
      address,
      fact.state,
      fact.balance,
      fact.extra_currencies,
    ])
    expect(codeHash && hex(codeHash)).toBe(fact.code_hash)
    expect(dataHash && hex(dataHash)).toBe(fact.data_hash)
    expect(frozenHash && hex(frozenHash)).toBe(fact.frozen_state_hash)
  }
})

test('walking back from each masterchain block gives exactly the shard blocks it commits', async () => {
  const byHash = new Map(rawBlocks.map((raw) => [hex(raw.id.rootHash), raw]))
  // The tops before the first masterchain block are those of the zerostate: blocks with seqno 0.
  let previousTops = chain.steps[0]!.shards.flatMap((block) =>
    block.prev.filter((prev) => prev.seqno === 0),
  ).map(toId)
  for (const step of chain.steps) {
    const { shardTops } = decodeSkeleton(chain.read(step.block))
    expect(shardTops!.map(formatShortId)).toEqual(step.shard_tops.map((top) => formatShortId(toId(top))))
    const load = async ({ rootHash }: { rootHash: Buffer }) => decodeSkeleton(byHash.get(hex(rootHash))!)
    const found = await walkBatch({ tops: shardTops!, previousTops, load })
    const seen = new Set(previousTops.map((id) => hex(id.rootHash)))
    for (const { id, prev } of found) {
      expect(prev.every((parent) => seen.has(hex(parent.rootHash)))).toBe(true)
      seen.add(hex(id.rootHash))
    }
    expect(found.map(({ id }) => hex(id.rootHash)).sort()).toEqual(
      step.shards.map((block) => block.root_hash).sort(),
    )
    previousTops = shardTops!.map(({ workchain, shard, seqno, rootHash, fileHash }) => ({
      workchain,
      shard,
      seqno,
      rootHash,
      fileHash,
    }))
  }
})

test('every masterchain block names the last key block before it by its hashes', () => {
  let last: BlockId | undefined
  for (const { block } of chain.steps) {
    const { id, header, prevKeyBlock } = decodeSkeleton(chain.read(block))
    expect(prevKeyBlock).toEqual(last)
    if (header.keyBlock) last = id
  }
  expect(last?.seqno).toBe(489)
})

test('applying all state updates from the zerostates on rebuilds each state across splits and merges', () => {
  const states = new Map<string, Cell>()
  for (const workchain of [-1, 0]) {
    const bag = parseBoc(zerostate(workchain))
    states.set(hex(bag.hash(bag.root)), bag.cell(bag.root))
  }
  const shards = new Set<string>()
  let accounts = 0
  for (const [i, raw] of rawBlocks.entries()) {
    const { skeleton, stateUpdate } = openBlock(raw)
    const parents = skeleton.prev.map((id) => states.get(hex(id.rootHash))!)
    const old = parents.length === 1 ? parents[0]! : splitState(parents)
    const next = applyMerkleUpdate(old, stateUpdate.bag!.cell(stateUpdate.bagCell))
    expect(next.hash()).toEqual(stateUpdate.refHash(1, 0))
    expect(next.levelMask).toBe(0)
    states.set(hex(raw.id.rootHash), next)
    shards.add(formatShortId({ ...raw.id, seqno: 0 }))
    if (isLong || i % 8 === 0 || parents.length > 1 || skeleton.header.afterSplit)
      forEachShardAccount(loadShardState(next.slice()), () => void accounts++)
  }
  const last = chain.steps.at(-1)!.block
  const { custom } = loadShardState(states.get(last.root_hash)!.slice())
  const extra = loadMcStateExtra(custom!.preloadRefSlice())
  for (const { block } of chain.steps.slice(0, -1)) {
    const old = findOldMcBlock(extra, block.seqno)!
    expect([old.id, old.key]).toEqual([toId(block), block.key_block === true])
  }
  expect(findOldMcBlock(extra, last.seqno)).toBeUndefined()
  expect(configGlobalVersion(extra.config)?.version).toBe(12)
  expect(shards.size).toBeGreaterThanOrEqual(chain.statistics.max_shards)
  expect(accounts).toBeGreaterThan(1_000)
})

/**
 * block.tlb `split_state#5f327da5 left:^ShardStateUnsplit right:^ShardStateUnsplit`: the old state of a
 * merge.
 */
const splitState = (parents: readonly Cell[]): Cell =>
  new Builder().storeUint(0x5f327da5, 32).storeRef(parents[0]!).storeRef(parents[1]!).endCell()
