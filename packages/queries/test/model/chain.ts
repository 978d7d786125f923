import { Builder, type Cell, EMPTY_CELL, serializeCanonical } from '@shardwalk/cells'
import {
  BASECHAIN,
  childShards,
  FULL_SHARD,
  MASTERCHAIN,
  parentShard,
  type ShardId,
  shardContainsPrefix,
  shardPrefixLength,
  shardToSigned,
} from '@shardwalk/model'
import { repartition } from '@shardwalk/testkit'
import type pg from 'pg'
import { earlier, later } from '../../src/idiom/index.ts'
import type { Dice } from './dice.ts'
import { insertRows } from './insert-rows.ts'
import { packedHashes } from './world.ts'

const MASTERCHAIN_BLOCKS = 60
const LT_STEP = 1_000_000n
const PARTITIONS = 12
const OPCODES = [1, -2, 0x0f8a7ea5, null] as const
const MASTER_ACCOUNTS = [-(2n ** 63n), -(2n ** 63n) + 7n, -5n] as const
const BASE_ACCOUNTS = Array.from({ length: 8 }, (_, n) => BigInt(n) * 2n ** 60n + 11n)
/** Of a workchain that does not exist: it receives nothing. */
const ELSEWHERE = 2n ** 61n + 5n
/** Sent before the first block. */
const UNSEEN = 2n ** 61n + 9n

/** Senders that are not indexed. */
const CROWD = Array.from({ length: 40 }, (_, n) => UNSEEN + 100n + BigInt(n))

const cell = (value: number): Cell => new Builder().storeUint(value, 32).endCell()
const hash8 = (of: Cell): bigint => of.hash().readBigInt64BE(0)
const BODIES = [1, 2, 3].map(cell)

interface Shard {
  readonly workchain: number
  readonly shard: ShardId
  readonly seqno: number
  readonly genUtime: number
  readonly endLt: bigint
}

interface TransactionKey {
  readonly account_id: bigint
  readonly lt: bigint
}
interface MadeTransaction extends TransactionKey {
  readonly hash: Buffer
  readonly now: number
  readonly piece: bigint
  readonly mc_block_seqno: number
  readonly aborted: boolean
  readonly in_msg_account_id: bigint | null
}
interface MadeMessage extends TransactionKey {
  readonly destination_id: bigint | null
  readonly hash: Buffer
  readonly hash_norm?: Buffer | undefined
  readonly opcode?: number | null
  readonly body_hash8?: bigint
  readonly flags?: number
  readonly created_at: number | null
}
interface Trace {
  readonly external_hash: Buffer | null
  readonly external_hash_norm: Buffer | undefined
  readonly state: number
  readonly of: MadeTransaction[]
}

/**
 * A chain as tables have it: shards that split and merge, blocks of the same second and transactions of the
 * same lt in different accounts, messages that are late, never received or sent by nobody, the same message
 * from outside several times.
 */
export class ChainWorld {
  private readonly blocks: object[] = []
  private readonly transactions: MadeTransaction[] = []
  private readonly messages: MadeMessage[] = []
  private readonly traces = new Map<bigint, Trace>()
  private readonly pending: { readonly message: MadeMessage; readonly piece: bigint | undefined }[] = []
  private readonly external = new Map<bigint, Partial<MadeMessage>[]>()
  private readonly lastLt = new Map<bigint, bigint>()
  private shards: Shard[] = [newShard(BASECHAIN)]
  private master = newShard(MASTERCHAIN)
  private now = 1000
  private lt = LT_STEP

  constructor(private readonly dice: Dice) {
    for (const lt of [5n, 6n, 7n]) this.send({ account_id: UNSEEN, lt }, 990, undefined)
    for (let seqno = 1; seqno <= MASTERCHAIN_BLOCKS; seqno++) this.step(seqno)
    const unsent = new Map(
      this.messages.filter(({ flags }) => flags === 8).map((message) => [message.lt, message]),
    )
    for (const message of [...unsent.values()].slice(-2)) this.crowd(message)
  }

  /** Many messages of the same lt. */
  private crowd({ lt, created_at }: MadeMessage): void {
    for (const account_id of CROWD) this.send({ account_id, lt }, created_at!, undefined)
  }

  async insert(pool: pg.Pool): Promise<void> {
    const accounts = [...MASTER_ACCOUNTS, ...BASE_ACCOUNTS, ELSEWHERE, UNSEEN, ...CROWD]
    await insertRows(
      pool,
      'accounts',
      accounts.map((id) => ({ id, workchain: id === ELSEWHERE ? 5 : id < 0n ? MASTERCHAIN : BASECHAIN })),
    )
    for (const table of ['transactions', 'messages'])
      await pool.query('select create_lt_partition($1, 0, $2)', [table, this.lt + LT_STEP])
    await insertRows(pool, 'blocks', this.blocks)
    await insertRows(pool, 'transactions', this.transactions)
    await insertRows(pool, 'messages', this.messages)
    await insertRows(pool, 'traces', [...this.traces].map(traceRow))
    await insertRows(pool, 'actions', this.actions())
    await insertRows(
      pool,
      'jetton_wallets',
      BASE_ACCOUNTS.slice(0, 4).map((account_id, n) => ({
        account_id,
        owner_id: BASE_ACCOUNTS[n % 2],
        jetton_id: -5n,
      })),
    )
    await repartition(pool, PARTITIONS)
    await pool.query('vacuum analyze blocks, traces, actions, jetton_wallets')
  }

  private step(mcSeqno: number): void {
    const { dice } = this
    this.now += dice.pick([0, 0, 1, 4])
    const committed: object[] = []
    const before = this.shards
    this.shards = this.reshaped().flatMap((shard) => {
      let top = shard
      const least = before.includes(shard) ? 0 : 1
      for (let count = Math.max(least, dice.upTo(3)); count > 0; count--)
        top = this.makeBlock(top, mcSeqno, committed)
      return [top]
    })
    const ends = this.shards.map((shard) => shard.endLt)
    this.lt = roundUp([this.lt, ...ends].reduce(later))
    this.master = this.makeBlock(this.master, mcSeqno, committed)
  }

  /** Some are split, some merged; their last block counts on. */
  private reshaped(): Shard[] {
    const { dice } = this
    const next: Shard[] = []
    for (const shard of this.shards) {
      const sibling = next.find(
        (one) => one.shard !== FULL_SHARD && parentShard(one.shard) === safeParent(shard.shard),
      )
      if (sibling && dice.chance(0.3)) {
        next.splice(next.indexOf(sibling), 1, {
          ...shard,
          shard: parentShard(shard.shard),
          seqno: Math.max(shard.seqno, sibling.seqno),
          genUtime: Math.max(shard.genUtime, sibling.genUtime),
          endLt: later(shard.endLt, sibling.endLt),
        })
      } else if (shardPrefixLength(shard.shard) < 3 && dice.chance(0.1))
        next.push(...childShards(shard.shard).map((child) => ({ ...shard, shard: child })))
      else next.push(shard)
    }
    return next
  }

  private makeBlock(top: Shard, mcSeqno: number, committed: object[]): Shard {
    const { dice } = this
    const isMaster = top.workchain === MASTERCHAIN
    // A shard block may begin with the masterchain block that its validators have not seen yet.
    const start_lt = !isMaster && top.endLt > this.lt ? roundUp(top.endLt) : this.lt
    const gen_utime = isMaster ? this.now : Math.max(top.genUtime, this.now - dice.upTo(3))
    const block = {
      ...{ workchain: top.workchain, shard: shardToSigned(top.shard), seqno: top.seqno + 1 },
      ...{ mc_block_seqno: mcSeqno, gen_utime, start_lt, end_lt: start_lt + 200n },
      ...{
        root_hash: dice.hash(),
        file_hash: dice.hash(),
        tx_count: this.fill(top, { start_lt, gen_utime, mcSeqno }),
      },
    }
    committed.push(block)
    this.blocks.push(isMaster ? { ...block, ...this.ofMaster(committed as (typeof block)[]) } : block)
    return { ...top, seqno: block.seqno, genUtime: gen_utime, endLt: block.end_lt }
  }

  private ofMaster(
    committed: readonly { readonly start_lt: bigint; readonly end_lt: bigint; readonly gen_utime: number }[],
  ) {
    const tops = this.shards.toSorted((a, b) => (shardToSigned(a.shard) < shardToSigned(b.shard) ? -1 : 1))
    return {
      batch_start_lt: committed.map((one) => one.start_lt).reduce(earlier),
      batch_end_lt: committed.map((one) => one.end_lt).reduce(later),
      batch_max_utime: Math.max(...committed.map((one) => one.gen_utime)),
      shard_tops: tops.flatMap((top) => [BigInt(top.seqno), shardToSigned(top.shard)]),
    }
  }

  /** Returns the number of transactions. */
  private fill(
    { workchain, shard, seqno }: Shard,
    block: { readonly start_lt: bigint; readonly gen_utime: number; readonly mcSeqno: number },
  ): number {
    const { dice } = this
    const accounts =
      workchain === MASTERCHAIN
        ? MASTER_ACCOUNTS
        : BASE_ACCOUNTS.filter((id) => shardContainsPrefix(shard, id << 1n))
    let made = 0
    for (const account_id of dice.some(accounts, 0.5))
      for (
        let lt = block.start_lt + BigInt(dice.pick([1, 2, 3, 10])), n = 1 + dice.upTo(2);
        n > 0;
        n--, lt += 20n
      ) {
        const mayBeSystem =
          workchain === MASTERCHAIN && account_id !== MASTER_ACCOUNTS.at(-1) && lt < block.start_lt + 5n
        this.transact(account_id, lt, {
          ...{ ...block, mayBeSystem },
          ...{ seqno: seqno + 1, shard_len: shardPrefixLength(shard) },
        })
        made++
      }
    return made
  }

  private transact(
    account_id: bigint,
    lt: bigint,
    block: {
      readonly gen_utime: number
      readonly mcSeqno: number
      readonly mayBeSystem: boolean
      readonly seqno: number
      readonly shard_len: number
    },
  ): void {
    const { dice } = this
    const now = block.gen_utime
    const received = this.receive(account_id, lt, block)
    const piece = received.piece ?? BigInt(this.traces.size + 1)
    const out_msg_count = dice.upTo(4)
    const tx = {
      ...{ account_id, lt, now, piece, out_msg_count, hash: dice.hash(), mc_block_seqno: block.mcSeqno },
      ...{ block_seqno: block.seqno, shard_len: block.shard_len, aborted: dice.chance(0.2) },
      ...{ in_msg_account_id: received.sender, in_msg_lt: received.lt, total_fees: BigInt(dice.upTo(9)) },
    }
    this.transactions.push(tx)
    const trace = this.traces.get(piece)
    if (trace) trace.of.push(tx)
    else {
      const state = received.isBroken ? 2 : 0
      const hashes = { external_hash: received.hash, external_hash_norm: received.norm }
      this.traces.set(piece, { ...hashes, ...received.externalIn, state, of: [tx] })
    }
    this.lastLt.set(account_id, lt)
    for (let n = 1; n <= out_msg_count; n++) this.send({ account_id, lt: lt + BigInt(n) }, now, piece)
  }

  private send(key: TransactionKey, created_at: number, piece: bigint | undefined): void {
    const { dice } = this
    const isLog = dice.chance(0.15)
    const message = {
      ...{ ...key, created_at, hash: dice.likeHash(), kind: isLog ? 2 : 0 },
      ...this.content(),
      destination_id: isLog
        ? null
        : dice.pick([...BASE_ACCOUNTS, ...BASE_ACCOUNTS, ...MASTER_ACCOUNTS, ELSEWHERE]),
      ...(!isLog && {
        value: BigInt(dice.upTo(1000)),
        fwd_fee: BigInt(dice.upTo(5)),
        ihr_fee: dice.maybe(0.2, () => 1n),
      }),
    }
    this.messages.push(message)
    if (!isLog) this.pending.push({ message, piece })
  }

  private receive(
    account_id: bigint,
    lt: bigint,
    block: { readonly gen_utime: number; readonly mayBeSystem: boolean },
  ) {
    const { dice } = this
    const none = {
      ...{ sender: null, lt: null, hash: null, norm: undefined, piece: undefined, isBroken: false },
      externalIn: undefined,
    }
    if (block.mayBeSystem) {
      const message = {
        ...{ account_id, lt, created_at: block.gen_utime, hash: dice.likeHash(), kind: 0, flags: 8 },
        ...{ destination_id: account_id, opcode: null, body: null, body_hash8: hash8(EMPTY_CELL) },
        ...{ value: 5n, fwd_fee: 0n },
      }
      this.messages.push(message)
      return { ...none, lt, hash: message.hash }
    }
    const waiting = this.pending.filter(
      ({ message }) =>
        message.destination_id === account_id && message.lt < lt && message.account_id !== account_id,
    )
    if (waiting.length > 0 && dice.chance(0.7)) {
      const found = dice.pick(waiting)
      this.pending.splice(this.pending.indexOf(found), 1)
      const { message, piece } = found
      const isBroken = piece === undefined
      const { account_id: sender, lt: sentAt, hash } = message
      return { ...none, sender, lt: sentAt, hash: isBroken ? hash : null, piece, isBroken }
    }
    if (dice.chance(0.3)) return none
    const known = this.external.get(account_id) ?? []
    this.external.set(account_id, known)
    if (known.length === 0 || dice.chance(0.4))
      known.push({ hash: dice.likeHash(), hash_norm: dice.maybe(0.4, dice.hash), ...this.content() })
    const message = {
      ...{ ...dice.pick(known), account_id, lt, destination_id: account_id, created_at: null, kind: 1 },
    } as MadeMessage
    this.messages.push(message)
    const { opcode, body_hash8 } = message
    const externalIn = {
      ...{ external_account_id: account_id, external_opcode: opcode, external_body_hash8: body_hash8 },
    }
    return { ...none, lt, hash: message.hash, norm: message.hash_norm, externalIn }
  }

  /** Some bodies have the stored part of their hash in common with another. */
  private content() {
    const { dice } = this
    const body = dice.pick([...BODIES, EMPTY_CELL])
    const like = dice.chance(0.1) ? BODIES[0]! : body
    return {
      ...{ opcode: dice.pick(OPCODES), body_hash8: hash8(like) },
      body: body === EMPTY_CELL ? null : serializeCanonical(body),
    }
  }

  private actions(): readonly object[] {
    return [...this.traces.values()].flatMap(({ of }) => {
      const covered = of.filter(() => this.dice.chance(0.6))
      const row = { action_id: this.dice.hash(), trace_id: of[0]!.hash, type: 'call_contract' }
      const tx_hashes = packedHashes({ ...row, tx_hashes: covered.map((tx) => tx.hash) })
      return covered.length === 0 ? [] : [{ ...row, tx_hashes }]
    })
  }
}

const newShard = (workchain: number): Shard => ({
  ...{ workchain, shard: FULL_SHARD, seqno: 0, genUtime: 1000, endLt: 0n },
})

const roundUp = (lt: bigint): bigint => (lt / LT_STEP + 1n) * LT_STEP

const safeParent = (shard: ShardId): ShardId | undefined =>
  shard === FULL_SHARD ? undefined : parentShard(shard)

const traceRow = ([piece, { of, ...trace }]: readonly [bigint, Trace]) => {
  const [first, lts] = [of[0]!, of.map((tx) => tx.lt)]
  return {
    ...{ ...trace, piece, trace_id: first.hash, nodes: of.length, start_lt: first.lt },
    ...{ start_utime: first.now, end_utime: Math.max(...of.map((tx) => tx.now)) },
    end_lt: lts.reduce(later),
    mc_seqno_start: first.mc_block_seqno,
    mc_seqno_end: Math.max(...of.map((tx) => tx.mc_block_seqno)),
  }
}
