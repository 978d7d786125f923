import { decodeBlock } from '@shardwalk/blocks'
import { Builder, Cell, parseBoc, serializeBoc, sha256 } from '@shardwalk/cells'
import { formatRawAddress } from '@shardwalk/model'
import { externalMessages } from '@shardwalk/replay'
import { Recording } from '@shardwalk/sources'
import { loadMessage } from '@shardwalk/tlb'
import { afterAll, expect, test } from 'vitest'
import type { StoredNode, StoredTrace } from '../stored-trace.ts'
import { ConfirmedBlocks } from './confirmed-blocks.ts'
import { type ConfirmedBlock, type ConfirmedTransaction, messageName } from './confirmed-transaction.ts'
import { findConfirmed, isOutdated } from './find-confirmed.ts'
import { SignedBlock } from './signed-block.ts'

// Block 242 receives jetton transfers, which end six blocks later.
const FIRST = 242
const LAST = 248

const recording = await Recording.open('fixtures/chain')
afterAll(() => recording.close())

const steps = Array.from({ length: LAST - FIRST + 1 }, (_, i) => recording.step(FIRST + i)!)
const signed: SignedBlock[] = []
for (const { shards } of steps)
  for (const block of shards)
    signed.push(await SignedBlock.open({ id: block.id, bytes: await recording.read(block) }))

/** Blocks that a server has reported, and what the masterchain committed instead of some. */
class ReportedBlocks {
  readonly blocks: ConfirmedBlocks
  readonly falseServers: string[] = []
  private readonly replacedNames = new Set<string>()

  constructor(blocks: readonly SignedBlock[]) {
    this.blocks = new ConfirmedBlocks((server) => this.falseServers.push(server))
    for (const block of blocks) this.blocks.add(block, { server: 'a:1', now: 0 })
  }

  replace({ rootHash }: ConfirmedBlock): void {
    this.replacedNames.add(rootHash.toString('hex'))
  }

  get ports() {
    return {
      confirmed: this.blocks,
      replacedBlocks: async (blocks: readonly ConfirmedBlock[]) =>
        blocks.map(({ rootHash }) => rootHash).filter((hash) => this.replacedNames.has(hash.toString('hex'))),
    }
  }
}

/** The external message of the longest trace that begins in the first block and happens in these. */
async function longest(): Promise<{ name: string; transactions: readonly ConfirmedTransaction[] }> {
  let best: { name: string; transactions: readonly ConfirmedTransaction[] } | undefined
  const { ports } = new ReportedBlocks(signed)
  for (const name of await externals()) {
    const { transactions } = await findConfirmed(ports, { stored: undefined, from: [name] })
    if (transactions.size > (best?.transactions.length ?? 0))
      best = { name, transactions: [...transactions.values()] }
  }
  return best!
}

async function externals(): Promise<readonly string[]> {
  const { shards } = steps[0]!
  const cells = []
  for (const block of shards)
    cells.push(...externalMessages({ id: block.id, bytes: await recording.read(block) }))
  return cells.map((cell) => messageName(loadMessage(cell.slice())))
}

const stateless = { status: 'active', balance: 0n } as const

/** As a look stores it. */
const storedAs = (transactions: readonly ConfirmedTransaction[]): StoredTrace => ({
  ...{
    mcBlockSeqno: FIRST,
    globalVersion: 0,
    happened: [],
    actions: [],
    isClassified: true,
    isIncomplete: false,
    isCutShort: false,
  },
  expected: transactions.map(
    ({ transaction, boc, block, seed }): StoredNode => ({
      boc: Buffer.from(boc).toString('base64'),
      workchain: transaction.account.workchain,
      block: { workchain: block.workchain, shard: block.shard, seqno: block.seqno },
      mcBlockSeqno: FIRST,
      before: stateless,
      after: stateless,
      confirmed: {
        hash: transaction.hash.toString('base64'),
        rootHash: block.rootHash.toString('base64'),
        seed: seed.toString('base64'),
      },
    }),
  ),
})

const { name, transactions: whole } = await longest()
const rootBlock = whole[0]!.block
const lastBlock = whole.at(-1)!.block

test('messages are followed from block to block, as far as blocks are known', async () => {
  expect(whole.length).toBeGreaterThan(3)
  expect(lastBlock.seqno).toBeGreaterThan(rootBlock.seqno)
  const known = signed.filter(({ id }) => id.seqno <= rootBlock.seqno)
  const first = await findConfirmed(new ReportedBlocks(known).ports, { stored: undefined, from: [name] })
  expect(first.transactions.size).toBeLessThan(whole.length)
  expect(first.awaited.length).toBeGreaterThan(0)
  const nothing = await findConfirmed(new ReportedBlocks([]).ports, { stored: undefined, from: [name] })
  expect([nothing.transactions.size, nothing.awaited]).toEqual([0, [Buffer.from(name, 'base64')]])
  const all = await findConfirmed(new ReportedBlocks(signed).ports, { stored: undefined, from: [name] })
  expect([all.awaited, all.isChanged]).toEqual([[], true])
})

test('what is stored is confirmed again without its blocks, by whatever process looks', async () => {
  const stored = storedAs(whole)
  const { ports } = new ReportedBlocks([])
  const again = await findConfirmed(ports, { stored, from: [name] })
  expect([again.transactions.size, again.isChanged]).toEqual([whole.length, false])
  expect(await isOutdated(ports, stored, again.awaited)).toBe(false)
  // A block that is reported twice changes nothing.
  const twice = await findConfirmed(new ReportedBlocks([...signed, ...signed]).ports, {
    stored,
    from: [name],
  })
  expect([twice.transactions.size, twice.isChanged]).toEqual([whole.length, false])
})

test('when another block is final in the place of the last one, the rest stays confirmed', async () => {
  const stored = storedAs(whole)
  const reported = new ReportedBlocks(signed)
  reported.replace(lastBlock)
  expect(await isOutdated(reported.ports, stored, [])).toBe(true)
  const rest = await findConfirmed(reported.ports, { stored, from: [name] })
  expect(rest.transactions.size).toBeLessThan(whole.length)
  expect(rest.transactions.size).toBeGreaterThan(0)
  expect([rest.isChanged, rest.awaited.length > 0]).toEqual([true, true])
  // Who reported the block is known, and the block is forgotten.
  expect(reported.falseServers).toEqual(['a:1'])
  expect(reported.blocks.has(lastBlock)).toBe(false)
})

test('when another block is final in the place of the first one, nothing is confirmed', async () => {
  const reported = new ReportedBlocks(signed)
  reported.replace(rootBlock)
  const { transactions, awaited, isChanged } = await findConfirmed(reported.ports, {
    stored: storedAs(whole),
    from: [name],
  })
  expect([transactions.size, awaited, isChanged]).toEqual([0, [Buffer.from(name, 'base64')], true])
})

test('what the index has is not followed: only what it awaits', async () => {
  const root = whole[0]!.transaction
  const from = root.outMsgs.filter(({ kind }) => kind === 'internal').map(messageName)
  const tail = await findConfirmed(new ReportedBlocks(signed).ports, { stored: storedAs(whole), from })
  expect(tail.transactions.size).toBe(whole.length - 1)
  expect(tail.transactions.has(name)).toBe(false)
})

test('a block with wrong bytes, or of another id, is not taken', async () => {
  const [block, other] = steps.flatMap(({ shards }) => shards)
  const bytes = await recording.read(block!)
  const wrong = Buffer.from(bytes)
  wrong[wrong.length >> 1]! ^= 1
  await expect(SignedBlock.open({ id: block!.id, bytes: wrong })).rejects.toThrow('file_hash')
  await expect(SignedBlock.open({ id: other!.id, bytes })).rejects.toThrow('file_hash')
  const forged = { ...block!.id, rootHash: other!.id.rootHash }
  await expect(SignedBlock.open({ id: forged, bytes })).rejects.toThrow('root_hash')
})

function findCell(root: Cell, hash: Buffer): Cell | undefined {
  const seen = new Set<Cell>()
  const open = [root]
  for (let cell = open.pop(); cell; cell = open.pop()) {
    if (cell.hash().equals(hash)) return cell
    if (!seen.has(cell)) open.push(...cell.refs)
    seen.add(cell)
  }
  return undefined
}

/** The cell with another one in place of every cell with the hash. */
function withOther(root: Cell, hash: Buffer, other: Cell): Cell {
  const made = new Map<Cell, Cell>()
  const change = (cell: Cell): Cell => {
    if (cell.hash().equals(hash)) return other
    const known = made.get(cell)
    if (known) return known
    const refs = cell.refs.map(change)
    const isSame = refs.every((ref, i) => ref === cell.refs[i])
    const changed = isSame ? cell : Cell.unchecked(cell.type, cell.data, cell.bits, refs)
    made.set(cell, changed)
    return changed
  }
  return change(root)
}

test('a transaction of a newer form is not confirmed; everything else of its block is', async () => {
  const block = steps.flatMap(({ shards }) => shards).find((_, i) => signed[i]!.accounts.length > 2)!
  const bytes = await recording.read(block)
  const bag = parseBoc(bytes)
  const { transactions } = decodeBlock({ id: block.id, bytes })
  const lost = transactions.find(({ inMsg }) => inMsg)!
  const whole = bag.cell(bag.root)
  const before = findCell(whole, lost.hash)!
  const unknown = new Builder().storeUint(0b1111, 4).endCell()
  const newer = Cell.unchecked(before.type, before.data, before.bits, [...before.refs.slice(0, -1), unknown])
  const root = withOther(whole, lost.hash, newer)
  const changed = serializeBoc(root)
  const id = { ...block.id, rootHash: root.hash(), fileHash: sha256(changed) }
  const opened = await SignedBlock.open({ id, bytes: changed })
  const received = transactions.filter(({ inMsg }) => inMsg && opened.has(messageName(inMsg)))
  expect(received).toEqual(transactions.filter((tx) => tx.inMsg && tx !== lost))
  expect(opened.accounts).toHaveLength(new Set(transactions.map((tx) => formatRawAddress(tx.account))).size)
  expect(opened.statesAfter(opened.accounts).size).toBe(opened.accounts.length)
})

test('blocks are kept for a minute', () => {
  const reported = new ReportedBlocks(signed.slice(0, 2))
  expect(reported.blocks.size).toBe(2)
  reported.blocks.add(signed[2]!, { server: 'a:1', now: 60_000 })
  expect(reported.blocks.size).toBe(1)
})
