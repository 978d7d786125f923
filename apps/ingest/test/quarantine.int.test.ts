import { createHash } from 'node:crypto'
import { readStatus } from '@shardwalk/db'
import { type BlockId, blockKey, formatShortId, shardToSigned } from '@shardwalk/model'
import { Recording, RecordingSource } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { beginCell, Cell } from '@ton/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endingAt, runIngest } from './run-ingest.ts'

/** Short, around a masterchain block that commits shard blocks with transactions. */
const RANGE = { from: 196, to: 210 }
const DAMAGED_FROM = 200

let recording: Recording
let scratch: ScratchDatabase
beforeAll(async () => {
  recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  scratch = await scratchDatabase()
})
afterAll(async () => {
  await scratch.close()
  await recording.close()
})

test('an undecodable block is stored as bytes and counted, and the chain continues', async () => {
  const { source, damaged } = await damagedChain()
  await runIngest({ source: endingAt(source, RANGE.to), scratch, range: RANGE })

  const kept = await scratch.db.selectFrom('quarantine').selectAll().execute()
  expect(kept).toMatchObject([
    {
      workchain: damaged.id.workchain,
      shard: shardToSigned(damaged.id.shard),
      seqno: damaged.id.seqno,
      root_hash: damaged.id.rootHash,
      file_hash: damaged.id.fileHash,
      mc_seqno: damaged.mcBlockSeqno,
      bytes: damaged.bytes,
    },
  ])
  expect(kept[0]!.error).not.toBe('')
  expect(await readStatus(scratch.db)).toMatchObject({
    ranges: [RANGE],
    quarantined: { blocks: 1, transactions: 0, states: 0, versions: 0 },
  })

  const blocks = await scratch.db.selectFrom('blocks').select(['workchain', 'shard', 'seqno']).execute()
  const stored = new Set(blocks.map(({ workchain, shard, seqno }) => `${workchain} ${shard} ${seqno}`))
  const recorded = [...recording.blocks()].filter(
    ({ mcBlockSeqno }) => mcBlockSeqno >= RANGE.from && mcBlockSeqno <= RANGE.to,
  )
  const missing = recorded
    .map(({ block }) => block.id)
    .filter(({ workchain, shard, seqno }) => !stored.has(`${workchain} ${shardToSigned(shard)} ${seqno}`))
  expect(missing.map(formatShortId)).toEqual([formatShortId(damaged.id)])
})

interface Offered {
  readonly id: BlockId
  readonly bytes: Buffer
  readonly mcBlockSeqno: number
}

/**
 * The recorded chain with one damaged shard block; all later blocks that refer to it are changed accordingly.
 */
async function damagedChain() {
  const offered: Offered[] = []
  const renamed: [from: string, to: string][] = []
  let damaged: Offered | undefined
  for (const { block, mcBlockSeqno } of recording.blocks()) {
    if (mcBlockSeqno < DAMAGED_FROM || mcBlockSeqno > RANGE.to) continue
    const root = Cell.fromBoc(await recording.read(block))[0]!
    const isVictim = !damaged && block.id.workchain === 0 && hasTransactions(root)
    const changed = isVictim ? withoutAccountBlocks(root) : rename(root, renamed)
    const bytes = changed === root ? await recording.read(block) : changed.toBoc({ idx: false, crc32: false })
    const id =
      changed === root ? block.id : { ...block.id, rootHash: changed.hash(), fileHash: sha256(bytes) }
    if (changed !== root) renamed.push([hashBits(block.id), hashBits(id)])
    offered.push({ id, bytes, mcBlockSeqno })
    if (isVictim) damaged = offered.at(-1)
  }
  if (!damaged) throw new Error('no shard block to damage')
  return { source: sourceOf(offered), damaged }
}

function sourceOf(offered: readonly Offered[]): RecordingSource {
  const byKey = new Map(offered.map((block) => [blockKey(block.id), block]))
  const masterchain = new Map(offered.filter(({ id }) => id.workchain === -1).map(({ id }) => [id.seqno, id]))
  const source = new RecordingSource(recording)
  const { masterchainBlockId, getBlock } = source
  source.masterchainBlockId = async (seqno) =>
    masterchain.get(seqno) ?? masterchainBlockId.call(source, seqno)
  source.getBlock = async (id) => byKey.get(blockKey(id))?.bytes ?? getBlock.call(source, id)
  return source
}

/** block.tlb `block#11ef55aa`: the fourth reference is `extra`, whose third is `account_blocks`. */
const accountBlocks = (root: Cell): Cell => root.refs[3]!.refs[2]!
const hasTransactions = (root: Cell): boolean => accountBlocks(root).bits.at(0)

/** A dictionary whose root claims more entries than it has. */
const withoutAccountBlocks = (root: Cell): Cell =>
  replaceRef(root, 3, replaceRef(root.refs[3]!, 2, beginCell().storeUint(1, 1).endCell()))

const replaceRef = (cell: Cell, index: number, ref: Cell): Cell =>
  new Cell({ bits: cell.bits, refs: cell.refs.map((old, at) => (at === index ? ref : old)) })

/** Root hash and file hash are adjacent wherever a block is referenced: `ext_blk_ref`, `shard_descr`. */
const hashBits = ({ rootHash, fileHash }: BlockId): string => [...rootHash, ...fileHash].map(bitsOf).join('')
const bitsOf = (byte: number): string => byte.toString(2).padStart(8, '0')
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

/**
 * The same cell if it refers to none of the blocks. States are unchanged, because Merkle updates contain
 * their hashes.
 */
function rename(cell: Cell, renamed: readonly (readonly [string, string])[]): Cell {
  if (cell.isExotic || renamed.length === 0) return cell
  const refs = cell.refs.map((ref) => rename(ref, renamed))
  const before =
    cell.bits.length < 512
      ? ''
      : Array.from({ length: cell.bits.length }, (_, i) => +cell.bits.at(i)).join('')
  const after = renamed.reduce((bits, [from, to]) => bits.replaceAll(from, to), before)
  if (after === before && refs.every((ref, i) => ref === cell.refs[i])) return cell
  const builder = beginCell()
  if (after === before) builder.storeBits(cell.bits)
  else for (const bit of after) builder.storeBit(bit === '1')
  for (const ref of refs) builder.storeRef(ref)
  return builder.endCell()
}
