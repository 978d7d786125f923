import { Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, onlyTransactions } from '@shardwalk/testkit'
import { Cell, type Slice } from '@ton/core'
import { base64, type Expected } from './description.ts'
import {
  type ExpectedBlock,
  type ExpectedMessage,
  type ExpectedTransaction,
  type GroundTruth,
  type Messages,
  shardHex,
} from './expected-chain.ts'
import { readTransaction, transactionCells } from './transactions.ts'

/**
 * Reads the recorded chain with `@ton/core`, using only the file format from this repository. That blocks
 * have the root hash of their ids is checked in packages/db.
 */
export async function readGroundTruth(): Promise<GroundTruth> {
  const blocks: ExpectedBlock[] = []
  const messages = new Map<string, ExpectedMessage>()
  const shardStates = new Map<number, readonly ExpectedBlock[]>()
  const known = new Map<string, ExpectedBlock>()
  const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
  for (let mcBlockSeqno = recording.first; mcBlockSeqno <= recording.last; mcBlockSeqno++) {
    const { shards, block: masterchain, shardTops } = recording.step(mcBlockSeqno)!
    for (const file of [...shards, masterchain]) {
      const root = Cell.fromBoc(onlyTransactions(await recording.read(file)))[0]!
      const block = readBlock(root, file.id, mcBlockSeqno, messages)
      blocks.push(block)
      known.set(`${block.workchain}:${block.shard}:${block.seqno}`, block)
    }
    const tops = [...shardTops, masterchain.id]
    shardStates.set(
      mcBlockSeqno,
      tops.map((top) => known.get(`${top.workchain}:${top.shard}:${top.seqno}`)!).filter(Boolean),
    )
  }
  await recording.close()
  return {
    blocks,
    transactions: blocks.flatMap((b) => b.transactions),
    messages: [...messages.values()],
    shardStates,
  }
}

type FileId = { workchain: number; shard: bigint; seqno: number; rootHash: Buffer; fileHash: Buffer }

function readBlock(root: Cell, id: FileId, mcBlockSeqno: number, messages: Messages): ExpectedBlock {
  const [info, , , extra] = root.refs as [Cell, Cell, Cell, Cell]
  const head = root.beginParse()
  head.skip(32)
  const globalId = head.loadInt(32)
  const { json, genUtime, startLt } = readInfo(info)
  const parts = extra.beginParse(true)
  parts.skip(32)
  const randSeed = parts.loadBuffer(32)
  const createdBy = parts.loadBuffer(32)
  const transactions: ExpectedTransaction[] = []
  const block: ExpectedBlock = {
    json: {
      ...json,
      workchain: id.workchain,
      shard: shardHex(id.shard),
      seqno: id.seqno,
      root_hash: base64(id.rootHash),
      file_hash: base64(id.fileHash),
      global_id: globalId,
      rand_seed: base64(randSeed),
      created_by: base64(createdBy),
      masterchain_block_ref: { workchain: -1, shard: '8000000000000000', seqno: mcBlockSeqno },
    },
    workchain: id.workchain,
    shard: id.shard,
    seqno: id.seqno,
    mcBlockSeqno,
    genUtime,
    startLt,
    rootHash: id.rootHash,
    fileHash: id.fileHash,
    transactions,
  }
  for (const cell of transactionCells(extra)) transactions.push(readTransaction(cell, block, messages))
  block.json['tx_count'] = transactions.length
  return block
}

/** block.tlb `block_info#9bc7a987`. */
function readInfo(cell: Cell): { json: Expected; genUtime: number; startLt: bigint } {
  const s = cell.beginParse()
  s.skip(32)
  const version = s.loadUint(32)
  const notMaster = s.loadBit()
  const [afterMerge, beforeSplit, afterSplit, wantSplit, wantMerge, keyBlock, vertSeqnoIncr] = Array.from(
    { length: 7 },
    () => s.loadBit(),
  )
  const flags = s.loadUint(8)
  s.skip(32)
  const vertSeqno = s.loadUint(32)
  s.skip(2)
  const prefixLength = s.loadUint(6)
  const workchain = s.loadInt(32)
  const prefix = s.loadUintBig(64)
  const genUtime = s.loadUint(32)
  const startLt = s.loadUintBig(64)
  const endLt = s.loadUintBig(64)
  const numbers = Array.from({ length: 4 }, () => s.loadUint(32)) as [number, number, number, number]
  const masterRef = notMaster ? s.loadRef().beginParse() : undefined
  masterRef?.skip(64)
  const marker = 1n << BigInt(63 - prefixLength)
  const shard = prefix | marker
  const parent = (shard & ~marker) | (marker << 1n)
  const previous = s.loadRef().beginParse()
  const previousSeqno = (one: Slice) => one.skip(64).loadUint(32)
  const blockId = (of: bigint, seqno: number) => ({ workchain, shard: shardHex(of), seqno })
  const prevBlocks = afterMerge
    ? [
        blockId(shard - (marker >> 1n), previousSeqno(previous.loadRef().beginParse())),
        blockId(shard + (marker >> 1n), previousSeqno(previous.loadRef().beginParse())),
      ]
    : [blockId(afterSplit ? parent : shard, previousSeqno(previous))]
  return {
    genUtime,
    startLt,
    json: {
      version,
      after_merge: afterMerge,
      before_split: beforeSplit,
      after_split: afterSplit,
      want_merge: wantMerge,
      want_split: wantSplit,
      key_block: keyBlock,
      vert_seqno_incr: vertSeqnoIncr,
      flags,
      gen_utime: String(genUtime),
      start_lt: String(startLt),
      end_lt: String(endLt),
      validator_list_hash_short: numbers[0] | 0,
      gen_catchain_seqno: numbers[1],
      min_ref_mc_seqno: numbers[2],
      prev_key_block_seqno: numbers[3],
      vert_seqno: vertSeqno,
      master_ref_seqno: masterRef?.loadUint(32) ?? 0,
      prev_blocks: prevBlocks,
    },
  }
}
