import { createHash } from 'node:crypto'
import {
  type AccountStateAfter,
  type Batch,
  type BlockHeader,
  type BlockId,
  type DecodedBlock,
  type DecodedMessage,
  type DecodedTransaction,
  FULL_SHARD,
  type RawAddress,
} from '@shardwalk/model'
import { randomFrom } from './random.ts'

export interface SyntheticOptions {
  readonly seed: number
  readonly batches: number
  /** Number of ordinary accounts. Default 12. */
  readonly accounts?: number
  readonly transactionsPerBatch?: number
  /** Masterchain seqno from which the global version is 12 instead of 11. Default: never. */
  readonly version12From?: number
  /** Masterchain seqno of the first batch. Default 1. */
  readonly firstSeqno?: number
  /** lt between blocks. Default 1,000,000. */
  readonly ltStep?: bigint
}

export interface VersionedBatch {
  readonly batch: Batch
  readonly globalVersion: number
}

/**
 * A chain of decoded batches with the properties of a real one (message keys, delivery after sending, links
 * between transactions) and frequent special cases: late delivery, external messages, senders before the
 * first block, system messages, deleted accounts.
 */
export function syntheticChain(options: SyntheticOptions): readonly VersionedBatch[] {
  return new Generator({
    accounts: 12,
    transactionsPerBatch: 8,
    firstSeqno: 1,
    ltStep: 1_000_000n,
    ...options,
  }).run()
}

/** An address whose account id starts with `top` (64 bits) and continues with `rest`. */
export function syntheticAddress(top: bigint, rest = 0, workchain = 0): RawAddress {
  const hash = Buffer.alloc(32)
  hash.writeBigUInt64BE(BigInt.asUintN(64, top))
  hash.writeUInt32BE(rest, 28)
  return { workchain, hash }
}

interface AccountMemory {
  readonly address: RawAddress
  lastHash: Buffer
  lastLt: bigint
  stateHash: Buffer
}

type FullOptions = Required<Omit<SyntheticOptions, 'version12From'>> & Pick<SyntheticOptions, 'version12From'>

class Generator {
  private readonly random: () => number
  private counter = 0
  private readonly memories: AccountMemory[]
  private pending: DecodedMessage[]

  constructor(private readonly options: FullOptions) {
    this.random = randomFrom(options.seed >>> 0 || 1)
    this.memories = Array.from({ length: options.accounts }, (_, index) => ({
      address: { workchain: index % 5 === 4 ? -1 : 0, hash: digest(`account ${options.seed} ${index}`) },
      lastHash: Buffer.alloc(32),
      lastLt: 0n,
      stateHash: digest('nothing'),
    }))
    // Sent before the first block: their senders are unknown.
    this.pending = [1, 2, 3].map((index) =>
      this.message(digest(`unknown ${index}`), 500n + BigInt(index), 11),
    )
  }

  run(): VersionedBatch[] {
    return Array.from({ length: this.options.batches }, (_, index) =>
      this.batch(this.options.firstSeqno + index),
    )
  }

  private batch(seqno: number): VersionedBatch {
    const globalVersion = seqno >= (this.options.version12From ?? 1e9) ? 12 : 11
    const startLt = BigInt(seqno) * this.options.ltStep
    const transactions = this.transactions(seqno, startLt, globalVersion)
    const shardTransactions = transactions.filter((tx) => tx.account.workchain === 0)
    const shard = syntheticBlock(0, seqno, startLt, shardTransactions)
    const masterchain = syntheticBlock(
      -1,
      seqno,
      startLt,
      transactions.filter((tx) => tx.account.workchain === -1),
    )
    const tops = [
      { ...shard.id, ...shard.header, regMcSeqno: seqno, beforeMerge: false, nextCatchainSeqno: 1 },
    ]
    return { globalVersion, batch: { masterchain: { ...masterchain, shardTops: tops }, shards: [shard] } }
  }

  private transactions(seqno: number, startLt: bigint, version: number): DecodedTransaction[] {
    const transactions: DecodedTransaction[] = []
    let lt = startLt
    for (let index = 0; index < this.options.transactionsPerBatch; index++) {
      lt += 10n
      const inMsg = this.nextInMessage(lt, version)
      const receiver = inMsg?.destination ?? this.pick(this.memories).address
      transactions.push(this.transaction({ receiver, lt, now: 1_700_000_000 + seqno, inMsg, version }))
    }
    const last = new Map(transactions.map((tx) => [tx.account.hash.toString('hex'), tx]))
    return transactions.map((tx) => {
      if (last.get(tx.account.hash.toString('hex')) === tx) return tx
      const { stateAfter: _, ...inTheMiddle } = tx
      return inTheMiddle
    })
  }

  private nextInMessage(lt: bigint, version: number): DecodedMessage | undefined {
    const choice = this.below(10)
    if (choice === 0) return undefined
    if (choice === 1)
      return { ...this.message(this.pick(this.memories).address.hash, lt, version), ...EXTERNAL_IN }
    if (choice === 2) {
      const system = { workchain: -1, hash: Buffer.alloc(32) }
      return { ...this.message(system.hash, lt, version), source: system, isSystem: true }
    }
    // Any pending message: delivery is often several batches late.
    return this.pending.splice(this.below(this.pending.length), 1)[0]
  }

  private transaction(of: {
    receiver: RawAddress
    lt: bigint
    now: number
    inMsg: DecodedMessage | undefined
    version: number
  }): DecodedTransaction {
    const memory =
      this.memories.find((known) => known.address.hash.equals(of.receiver.hash)) ?? this.memories[0]!
    const outMsgs = Array.from({ length: this.below(4) }, (_, index) => {
      const lt = of.lt + 1n + BigInt(index)
      const message = { ...this.message(memory.address.hash, lt, of.version), source: memory.address }
      return this.below(6) === 0 ? { ...message, ...EXTERNAL_OUT } : message
    })
    this.pending.push(...outMsgs.filter((message) => message.kind === 'internal'))
    const hash = this.unique('transaction')
    const stateAfter = this.state()
    const tx: DecodedTransaction = {
      account: memory.address,
      hash,
      lt: of.lt,
      prevTransHash: memory.lastHash,
      prevTransLt: memory.lastLt,
      now: of.now,
      origStatus: 'active',
      endStatus: stateAfter.status,
      totalFees: BigInt(this.below(1_000_000)),
      stateHashBefore: memory.stateHash,
      stateHashAfter: this.unique('state'),
      description: { kind: 'ord', aborted: this.below(2) === 0, creditFirst: true, destroyed: false },
      inMsg: of.inMsg,
      outMsgs,
      stateAfter,
    }
    Object.assign(memory, { lastHash: hash, lastLt: of.lt, stateHash: tx.stateHashAfter })
    return tx
  }

  private state(): AccountStateAfter {
    if (this.below(10) === 0) return { status: 'nonexist', balance: 0n }
    const code = Buffer.from(`code ${this.below(5)}`)
    const data = this.unique('data')
    return {
      status: 'active',
      balance: BigInt(this.below(1e9)),
      codeHash: digest(code.toString()),
      dataHash: digest(data.toString('hex')),
      ...(this.below(3) === 0 ? { code } : {}),
      ...(this.below(2) === 0 ? { data } : {}),
      ...(this.below(7) === 0 ? { extraCurrencies: new Map([[100, 5n]]) } : {}),
    }
  }

  private message(source: Buffer, createdLt: bigint, version: number): DecodedMessage {
    const opcode = this.below(3)
    const body = this.unique('body')
    return {
      kind: 'internal',
      hash: this.unique('message'),
      source: { workchain: 0, hash: source },
      destination: this.pick(this.memories).address,
      value: BigInt(this.below(1e9)),
      fwdFee: BigInt(this.below(1e6)),
      ihrFeeOrExtraFlags: BigInt(version >= 12 ? this.below(4) : this.below(1000)),
      createdLt,
      createdAt: 1_700_000_000,
      ihrDisabled: true,
      bounce: true,
      bounced: false,
      ...(opcode > 0 ? { opcode: 0xf0000000 + opcode } : {}),
      bodyHash: digest(body.toString('hex')),
      body,
    }
  }

  private unique(kind: string): Buffer {
    return digest(`${kind} ${this.options.seed} ${this.counter++}`)
  }

  private pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit)
  }
}

const NOTHING_INTERNAL = {
  source: undefined,
  value: undefined,
  fwdFee: undefined,
  ihrFeeOrExtraFlags: undefined,
  ihrDisabled: undefined,
  bounce: undefined,
  bounced: undefined,
}
const EXTERNAL_IN = {
  ...NOTHING_INTERNAL,
  kind: 'external_in',
  createdLt: undefined,
  createdAt: undefined,
  importFee: 1n << 100n,
  hashNorm: Buffer.alloc(32, 7),
} as const
const { source: _, ...NO_VALUE } = NOTHING_INTERNAL
const EXTERNAL_OUT = {
  ...NO_VALUE,
  kind: 'external_out',
  destination: undefined,
  externalDestination: { bits: 9, bytes: Buffer.from([0xab, 0x80]) },
} as const

export const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** A block of a workchain with one shard, made of invented values. */
export function syntheticBlock(
  workchain: number,
  seqno: number,
  startLt: bigint,
  transactions: readonly DecodedTransaction[],
): DecodedBlock {
  const id = (of: number): BlockId => ({
    workchain,
    shard: FULL_SHARD,
    seqno: of,
    rootHash: digest(`root ${workchain} ${of}`),
    fileHash: digest(`file ${workchain} ${of}`),
  })
  return { id: id(seqno), prev: [id(seqno - 1)], header: header(workchain, seqno, startLt), transactions }
}

const header = (workchain: number, seqno: number, startLt: bigint): BlockHeader => ({
  globalId: -777,
  version: 0,
  flags: 1,
  vertSeqno: 0,
  afterMerge: false,
  beforeSplit: false,
  afterSplit: false,
  wantSplit: false,
  wantMerge: false,
  keyBlock: false,
  vertSeqnoIncr: false,
  notMaster: workchain !== -1,
  genUtime: 1_700_000_000 + seqno,
  startLt,
  endLt: startLt + 1000n,
  validatorListHashShort: 0xdeadbeef,
  genCatchainSeqno: 1,
  minRefMcSeqno: Math.max(0, seqno - 2),
  prevKeyBlockSeqno: 0,
  masterRefSeqno: workchain === -1 ? 0 : seqno - 1,
  randSeed: digest(`seed ${workchain} ${seqno}`),
  createdBy: Buffer.alloc(32),
})
