import { Recording } from '@shardwalk/sources'
import { FIXTURE_CHAIN_FOLDER, onlyTransactions } from '@shardwalk/testkit'
import {
  type Address,
  beginCell,
  Cell,
  Dictionary,
  loadMessage,
  loadTransaction,
  type Message,
  type Slice,
  type Transaction,
} from '@ton/core'
import { base64, currencies, description, type Expected } from './ground-truth-description.ts'

/** A message as API v3 returns it, produced with `@ton/core` alone; profile `standard`. */
export interface ExpectedMessage {
  readonly json: Expected
  readonly key: string
  readonly hash: Buffer
  readonly hashNorm?: Buffer
  readonly createdLt?: bigint
  readonly createdAt?: number
  readonly kind: 'internal' | 'external_in' | 'external_out'
  readonly source?: string
  readonly destination?: string
  readonly opcode?: number
  readonly bodyHash: Buffer
  inTx?: ExpectedTransaction
  outTx?: ExpectedTransaction
}

export interface ExpectedTransaction {
  readonly json: Expected
  readonly account: string
  readonly hash: Buffer
  readonly lt: bigint
  readonly now: number
  readonly block: ExpectedBlock
  readonly inMsg?: ExpectedMessage
  readonly outMsgs: readonly ExpectedMessage[]
}

export interface ExpectedBlock {
  readonly json: Expected
  readonly workchain: number
  readonly shard: bigint
  readonly seqno: number
  readonly mcBlockSeqno: number
  readonly genUtime: number
  readonly startLt: bigint
  readonly rootHash: Buffer
  readonly fileHash: Buffer
  readonly transactions: ExpectedTransaction[]
}

export interface GroundTruth {
  readonly blocks: readonly ExpectedBlock[]
  readonly transactions: readonly ExpectedTransaction[]
  /** One entry per message, with both ends. */
  readonly messages: readonly ExpectedMessage[]
  /** Per masterchain seqno: the blocks of the shard state, including the masterchain block. */
  readonly shardStates: ReadonlyMap<number, readonly ExpectedBlock[]>
}

const raw = (address: Address) => `${address.workChain}:${address.hash.toString('hex').toUpperCase()}`
const shardHex = (shard: bigint) => shard.toString(16).toUpperCase()
const STATUS = {
  uninitialized: 'uninit',
  frozen: 'frozen',
  active: 'active',
  'non-existing': 'nonexist',
} as const

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

type Messages = Map<string, ExpectedMessage>
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

/** block.tlb `ShardAccountBlocks`: leaves are extra (a currency collection), then `acc_trans#5`. */
function transactionCells(extra: Cell): Cell[] {
  const skipCurrencies = (s: Slice) => {
    s.loadCoins()
    s.loadMaybeRef()
  }
  const transaction = {
    serialize: () => {},
    parse: (s: Slice) => {
      skipCurrencies(s)
      return s.loadRef()
    },
  }
  const account = {
    serialize: () => {},
    parse: (s: Slice) => {
      skipCurrencies(s)
      s.skip(4 + 256)
      return [...s.loadDictDirect(Dictionary.Keys.BigUint(64), transaction).values()]
    },
  }
  const accounts = extra.refs[2]!.beginParse().loadDict(Dictionary.Keys.BigUint(256), account)
  return [...accounts.values()].flat()
}

function readTransaction(cell: Cell, block: ExpectedBlock, messages: Messages): ExpectedTransaction {
  const { transaction: t, suspended } = load(cell)
  const account = `${block.workchain}:${t.address.toString(16).toUpperCase().padStart(64, '0')}`
  const parts = cell.refs[0]!.beginParse()
  const inCell = parts.loadMaybeRef()
  const outCells = [...parts.loadDict(Dictionary.Keys.Uint(15), Dictionary.Values.Cell())].sort(
    (a, b) => a[0] - b[0],
  )
  const inMsg = inCell ? readMessage(inCell, messages) : undefined
  const outMsgs = outCells.map(([, one]) => readMessage(one, messages))
  const tx: ExpectedTransaction = {
    account,
    hash: cell.hash(),
    lt: t.lt,
    now: t.now,
    block,
    inMsg,
    outMsgs,
    json: {
      account,
      hash: base64(cell.hash()),
      lt: String(t.lt),
      now: t.now,
      mc_block_seqno: block.mcBlockSeqno,
      prev_trans_hash: base64(Buffer.from(t.prevTransactionHash.toString(16).padStart(64, '0'), 'hex')),
      prev_trans_lt: String(t.prevTransactionLt),
      orig_status: STATUS[t.oldStatus],
      end_status: STATUS[t.endStatus],
      total_fees: String(t.totalFees.coins),
      total_fees_extra_currencies: currencies(t.totalFees.other),
      description: suspended
        ? { ...description(t), compute_ph: { skipped: true, reason: 'suspended' } }
        : description(t),
      block_ref: { workchain: block.workchain, shard: shardHex(block.shard), seqno: block.seqno },
      in_msg: inMsg?.json ?? null,
      out_msgs: outMsgs.map((m) => m.json),
      emulated: false,
      finality: 'finalized',
    },
  }
  if (inMsg) inMsg.inTx = greater(inMsg.inTx, tx)
  for (const message of outMsgs) message.outTx = tx
  return tx
}

/**
 * `@ton/core` does not support `cskip_suspended$110`, so such a transaction is read as if it had
 * `cskip_no_gas$10`.
 */
function load(cell: Cell): { transaction: Transaction; suspended: boolean } {
  try {
    return { transaction: loadTransaction(cell.beginParse()), suspended: false }
  } catch {
    const description = cell.refs.at(-1)!
    const s = description.beginParse()
    s.skip(5)
    if (s.loadBit()) {
      s.loadCoins()
      if (s.loadBit()) s.loadCoins()
      if (s.loadBit()) s.skip(1)
    }
    if (s.loadBit()) {
      if (s.loadBit()) s.loadCoins()
      s.loadCoins()
      s.loadMaybeRef()
    }
    const before = description.bits.length - s.remainingBits
    if (s.loadUint(4) !== 0b0110) throw new Error('not a suspended account')
    const patched = beginCell()
      .storeBits(description.bits.substring(0, before))
      .storeUint(0b010, 3)
      .storeSlice(s)
    const refs = description.refs.slice(0, description.refs.length - s.remainingRefs)
    for (const ref of refs) patched.storeRef(ref)
    const whole = beginCell().storeBits(cell.bits)
    for (const ref of [...cell.refs.slice(0, -1), patched.endCell()]) whole.storeRef(ref)
    return { transaction: loadTransaction(whole.endCell().beginParse()), suspended: true }
  }
}

/** If an external message was received several times, the transaction with the greatest hash counts. */
const greater = (a: ExpectedTransaction | undefined, b: ExpectedTransaction) =>
  a && Buffer.compare(a.hash, b.hash) > 0 ? a : b

function readMessage(cell: Cell, messages: Messages): ExpectedMessage {
  const key = base64(cell.hash())
  const known = messages.get(key)
  if (known) return known
  const m = loadMessage(cell.beginParse())
  const opcode = !m.body.isExotic && m.body.bits.length >= 32 ? m.body.beginParse().loadUint(32) : undefined
  const message: ExpectedMessage = {
    ...envelope(m),
    key,
    hash: cell.hash(),
    opcode,
    bodyHash: m.body.hash(),
    json: {},
  }
  const norm = m.info.type === 'external-in' ? normalisedHash(m) : undefined
  Object.assign(message.json, {
    hash: key,
    ...infoJson(m),
    opcode: opcode ?? null,
    message_content: { hash: base64(m.body.hash()) },
    init_state: m.init ? { hash: base64(initCell(cell).hash()) } : null,
    ...(norm && !norm.equals(cell.hash()) ? { hash_norm: base64(norm) } : {}),
  })
  Object.assign(message, { hashNorm: norm && !norm.equals(cell.hash()) ? norm : undefined })
  messages.set(key, message)
  return message
}

function envelope({
  info,
}: Message): Pick<ExpectedMessage, 'kind' | 'source' | 'destination' | 'createdLt' | 'createdAt'> {
  switch (info.type) {
    case 'internal':
      return {
        kind: 'internal',
        source: raw(info.src),
        destination: raw(info.dest),
        createdLt: info.createdLt,
        createdAt: info.createdAt,
      }
    case 'external-in':
      return { kind: 'external_in', destination: raw(info.dest) }
    case 'external-out':
      return {
        kind: 'external_out',
        source: raw(info.src),
        createdLt: info.createdLt,
        createdAt: info.createdAt,
      }
  }
}

const NONE = {
  source: null,
  destination: null,
  value: null,
  value_extra_currencies: null,
  fwd_fee: null,
  ihr_fee: null,
  extra_flags: null,
  created_lt: null,
  created_at: null,
  ihr_disabled: null,
  bounce: null,
  bounced: null,
  import_fee: null,
}

/** The recorded network runs global version 12 from its first block: the former ihr_fee slot holds flags. */
function infoJson({ info }: Message): Expected {
  if (info.type === 'external-in')
    return { ...NONE, destination: raw(info.dest), import_fee: String(info.importFee) }
  const created = { created_lt: String(info.createdLt), created_at: String(info.createdAt) }
  if (info.type === 'external-out') return { ...NONE, ...created, source: raw(info.src) }
  return {
    ...NONE,
    ...created,
    source: raw(info.src),
    destination: raw(info.dest),
    value: String(info.value.coins),
    value_extra_currencies: currencies(info.value.other),
    fwd_fee: String(info.forwardFee),
    ihr_fee: '0',
    extra_flags: String(info.ihrFee),
    ihr_disabled: info.ihrDisabled,
    bounce: info.bounce,
    bounced: info.bounced,
  }
}

/** TEP-467. */
function normalisedHash(m: Message): Buffer {
  const { dest } = m.info as { dest: Address }
  return beginCell()
    .storeUint(8, 4)
    .storeAddress(dest)
    .storeCoins(0)
    .storeBit(0)
    .storeBit(1)
    .storeRef(m.body)
    .endCell()
    .hash()
}

/** The state init is a separate cell of the message, or inline; in that case it is copied bit by bit. */
function initCell(cell: Cell): Cell {
  const s = cell.beginParse()
  const isExternalIn = s.preloadUint(2) === 2
  if (isExternalIn) {
    s.skip(2)
    s.loadAddressAny()
    s.loadAddress()
    s.loadCoins()
  } else {
    s.skip(4)
    s.loadAddressAny()
    s.loadAddress()
    s.loadCoins()
    s.loadMaybeRef()
    s.loadCoins()
    s.loadCoins()
    s.skip(96)
  }
  s.loadBit()
  if (s.loadBit()) return s.loadRef()
  const inline = beginCell()
  if (s.loadBit()) inline.storeBit(1).storeUint(s.loadUint(5), 5)
  else inline.storeBit(0)
  if (s.loadBit()) inline.storeBit(1).storeUint(s.loadUint(2), 2)
  else inline.storeBit(0)
  for (let i = 0; i < 3; i++) inline.storeMaybeRef(s.loadMaybeRef())
  return inline.endCell()
}
