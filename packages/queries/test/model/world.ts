import { ACTIVITY_FROM_ROWS } from '@shardwalk/testkit'
import type pg from 'pg'
import { Dice } from './dice.ts'
import { insertRows } from './insert-rows.ts'

/** Random rows of lists, small enough that every filter can be applied to all of them in memory. */
export class World extends Dice {
  readonly accounts: readonly bigint[] = [-3n, -2n, 5n, 6n, 7n, 8n]
  readonly traces: TraceModel[] = []
  readonly transactions: TransactionModel[] = []
  readonly actions: ActionModel[] = []

  constructor(seed: number) {
    super(seed)
    for (let piece = 1; piece <= 90; piece++) this.addTrace(BigInt(piece))
  }

  private addTrace(piece: bigint): void {
    const start = this.upTo(500)
    const length = this.chance(0.15) ? 130 + this.upTo(300) : this.upTo(60)
    const steps = [
      start,
      start + length,
      ...Array.from({ length: this.upTo(4) }, () => start + this.upTo(length)),
    ]
    const own: TransactionModel[] = []
    for (const step of steps) {
      const account = this.pick(this.accounts)
      const tx = {
        account_id: account,
        lt: BigInt(step + 1) * 1_000_000n,
        // Clocks of shards differ; within an account time follows lt.
        now: 1000 + Math.floor(step / 3) * 3 + Number(account & 3n),
        piece,
        hash: this.hash(),
        mc_block_seqno: 1 + Math.floor(step / 200),
      }
      const taken = [...own, ...this.transactions]
      if (!taken.some((one) => one.account_id === account && one.lt === tx.lt)) own.push(tx)
    }
    if (own.length === 0) return
    own.sort((a, b) => (a.lt < b.lt ? -1 : 1))
    const [first, last] = [own[0]!, own.at(-1)!]
    const trace = {
      piece,
      trace_id: this.likeHash(),
      start_lt: first.lt,
      end_lt: last.lt,
      start_utime: first.now,
      end_utime: Math.max(...own.map((tx) => tx.now)),
      mc_seqno_end: last.mc_block_seqno,
      state: this.chance(0.85) ? 0 : 1 + this.upTo(2),
      nodes: own.length,
    }
    this.traces.push(trace)
    this.transactions.push(...own)
    if (trace.state === 0) for (let n = this.upTo(5); n > 0; n--) this.actions.push(this.action(trace, own))
  }

  private action(trace: TraceModel, own: readonly TransactionModel[]): ActionModel {
    const covered = this.some(own, 0.6)
    const [first, last] = [covered[0] ?? own[0]!, covered.at(-1) ?? own.at(-1)!]
    return {
      trace_id: trace.trace_id,
      action_id: this.hash(),
      type: this.pick(TYPES),
      ancestor_type: this.some(TYPES, 0.15),
      start_lt: first.lt,
      end_lt: last.lt,
      end_utime: last.now,
      trace_end_lt: trace.end_lt,
      trace_end_utime: trace.end_utime,
      trace_mc_seqno_end: trace.mc_seqno_end,
      tx_hashes: covered.map((tx) => tx.hash),
      account_ids: [...new Set([...covered.map((tx) => tx.account_id), ...this.some(this.accounts, 0.15)])],
    }
  }

  /** Of all actions; most of an account in a trace have one row, others several. */
  private accountRows() {
    return this.traces.flatMap(({ trace_id, end_lt, end_utime }) =>
      this.accounts.flatMap((account_id) => {
        const row = { account_id, trace_end_lt: end_lt, trace_end_utime: end_utime }
        const lists: Buffer[][] = []
        for (const action of this.actions)
          if (action.trace_id === trace_id && action.account_ids.includes(account_id)) {
            if (lists.length === 0 || this.chance(0.2)) lists.push([])
            lists.at(-1)!.push(action.action_id.subarray(0, 7))
          }
        const trace_bytes = trace_id.subarray(0, 7)
        return lists.map((list) => ({ ...row, trace_bytes, action_bytes: Buffer.concat(list) }))
      }),
    )
  }

  /** Writes all rows; columns that lists do not look at are empty. */
  async insert(pool: pg.Pool): Promise<void> {
    for (const table of ['transactions', 'messages'])
      await pool.query('select create_lt_partition($1, 0, 5000000000000)', [table])
    const withEdges = (trace: TraceModel) => ({ ...trace, edges: 1, external_hash: trace.trace_id })
    await insertRows(
      pool,
      'accounts',
      this.accounts.map((id) => ({ id })),
    )
    await insertRows(pool, 'traces', this.traces.map(withEdges))
    await insertRows(pool, 'transactions', this.transactions)
    await insertRows(pool, 'actions', this.actions.map(stored))
    await insertRows(pool, 'action_accounts', this.accountRows())
    const mcBlocks = [1, 2, 3, 4].map((seqno) => ({
      ...{ workchain: -1, shard: -(2n ** 63n), seqno, mc_block_seqno: seqno },
      batch_start_lt: 0n,
      batch_end_lt: 2n ** 60n,
    }))
    await insertRows(pool, 'blocks', mcBlocks)
    await pool.query(ACTIVITY_FROM_ROWS)
  }
}

const stored = (action: ActionModel) => ({
  ...action,
  ancestor_type: action.ancestor_type.length > 0 ? action.ancestor_type : null,
  tx_hashes: packedHashes(action),
  account_ids: Buffer.concat(action.account_ids.map(int8send)),
})

/** As stored: one byte for the id of the trace. */
export const packedHashes = ({ trace_id, tx_hashes }: Pick<ActionModel, 'trace_id' | 'tx_hashes'>): Buffer =>
  Buffer.concat(tx_hashes.map((hash, n) => (n === 0 && hash.equals(trace_id) ? Buffer.alloc(1) : hash)))

function int8send(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(value)
  return bytes
}

export const TYPES = ['call_contract', 'jetton_swap', 'nft_mint', 'ton_transfer'] as const

export interface TraceModel {
  readonly piece: bigint
  readonly trace_id: Buffer
  readonly start_lt: bigint
  readonly end_lt: bigint
  readonly start_utime: number
  readonly end_utime: number
  readonly mc_seqno_end: number
  readonly state: number
  readonly nodes: number
}

export interface TransactionModel {
  readonly account_id: bigint
  readonly lt: bigint
  readonly now: number
  readonly piece: bigint
  readonly hash: Buffer
  readonly mc_block_seqno: number
}

export interface ActionModel {
  readonly trace_id: Buffer
  readonly action_id: Buffer
  readonly type: string
  readonly ancestor_type: readonly string[]
  readonly start_lt: bigint
  readonly end_lt: bigint
  readonly end_utime: number
  readonly trace_end_lt: bigint
  readonly trace_end_utime: number
  readonly trace_mc_seqno_end: number
  readonly tx_hashes: readonly Buffer[]
  readonly account_ids: readonly bigint[]
}
