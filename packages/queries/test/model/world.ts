import { TABLE_TOPICS, type TableDefinition } from '@shardwalk/db'
import { ACTIVITY_FROM_ROWS, randomFrom } from '@shardwalk/testkit'
import type pg from 'pg'

/** Random rows of lists, small enough that every filter can be applied to all of them in memory. */
export class World {
  readonly random: () => number
  readonly accounts: readonly bigint[] = [-3n, -2n, 5n, 6n, 7n, 8n]
  readonly traces: TraceModel[] = []
  readonly transactions: TransactionModel[] = []
  readonly actions: ActionModel[] = []
  readonly transfers: TransferModel[] = []
  readonly wallets: WalletModel[] = []
  readonly items: ItemModel[] = []

  constructor(seed: number) {
    this.random = randomFrom(seed)
    for (let piece = 1; piece <= 90; piece++) this.addTrace(BigInt(piece))
    for (let n = 0; n < 40; n++) this.wallets.push(this.wallet(n))
    for (let n = 0; n < 40; n++) this.items.push(this.item(n))
  }

  chance = (share: number): boolean => this.random() < share
  upTo = (count: number): number => Math.floor(this.random() * count)
  pick = <T>(from: readonly T[]): T => from[this.upTo(from.length)]!
  some = <T>(from: readonly T[], share = 0.4): T[] => from.filter(() => this.chance(share))
  maybe = <T>(share: number, make: () => T): T | undefined => (this.chance(share) ? make() : undefined)
  hash = (): Buffer => Buffer.from(Array.from({ length: 32 }, () => this.upTo(256)))
  /** With few first bytes, by which lists are ordered. */
  likeHash = (): Buffer => Buffer.concat([Buffer.alloc(7, this.upTo(2)), this.hash()], 32)

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
    for (const tx of own) if (this.chance(0.5)) this.transfers.push(this.transfer(tx))
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

  private transfer({ account_id, lt, now }: TransactionModel): TransferModel {
    return {
      ...{ account_id, lt, now, aborted: this.chance(0.2), confirmed: this.chance(0.8) },
      source_id: this.pick(this.accounts),
      destination_id: this.chance(0.2) ? null : this.pick(this.accounts),
      jetton_id: this.pick(this.accounts),
    }
  }

  private wallet(n: number): WalletModel {
    const amount = this.maybe(0.4, () => String(this.upTo(2)))
    return {
      account_id: BigInt(((n * 17) % 41) - 20),
      owner_id: this.pick(this.accounts),
      jetton_id: this.pick(this.accounts.slice(0, 3)),
      // Greater than 2^63, with ties.
      balance: this.chance(0.3) ? '0' : String(2n ** 70n + BigInt(this.upTo(5))),
      is_claimed: this.pick([true, false, null]),
      claim: amount,
    }
  }

  private item(n: number): ItemModel {
    const owner = this.chance(0.1) ? null : this.pick(this.accounts)
    return {
      account_id: BigInt(((n * 17) % 41) - 20),
      lt: BigInt(this.upTo(9)),
      collection_id: this.chance(0.3) ? null : this.pick(this.accounts.slice(0, 3)),
      owner_id: owner,
      real_owner_id: this.chance(0.7) ? owner : this.pick(this.accounts),
      item_index: String(this.chance(0.3) ? 2n ** 256n - 1n - BigInt(this.upTo(3)) : this.upTo(12)),
    }
  }

  /** Writes all rows; columns that lists do not look at are empty. */
  async insert(pool: pg.Pool): Promise<void> {
    for (const table of ['transactions', 'messages'])
      await pool.query('select create_lt_partition($1, 0, 5000000000000)', [table])
    const accounts = [...new Set([...this.accounts, ...this.wallets.map((one) => one.account_id)])]
    const withEdges = (trace: TraceModel) => ({ ...trace, edges: 1, external_hash: trace.trace_id })
    await insertRows(
      pool,
      'accounts',
      accounts.map((id) => ({ id })),
    )
    await insertRows(pool, 'traces', this.traces.map(withEdges))
    await insertRows(pool, 'transactions', this.transactions)
    await insertRows(pool, 'actions', this.actions)
    const ofAccounts = this.actions.flatMap((action) =>
      action.account_ids.map((account_id) => ({
        ...action,
        account_id,
        trace_bytes: action.trace_id.subarray(0, 7),
        action_bytes: action.action_id.subarray(0, 7),
      })),
    )
    await insertRows(pool, 'action_accounts', ofAccounts)
    await insertRows(pool, 'jetton_transfers', this.transfers)
    await insertRows(pool, 'jetton_wallets', this.wallets)
    const claims = this.wallets.filter(({ claim }) => claim !== undefined)
    const toClaim = ({ account_id, claim, ...keys }: WalletModel) => ({
      ...keys,
      wallet_id: account_id,
      amount: claim,
    })
    await insertRows(pool, 'mintless_claims', claims.map(toClaim))
    await insertRows(pool, 'nft_items', this.items)
    const mcBlocks = [1, 2, 3, 4].map((seqno) => ({
      ...{ workchain: -1, shard: -(2n ** 63n), seqno, mc_block_seqno: seqno },
      batch_start_lt: 0n,
      batch_end_lt: 2n ** 60n,
    }))
    await insertRows(pool, 'blocks', mcBlocks)
    await pool.query(ACTIVITY_FROM_ROWS)
  }
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

export interface TransferModel {
  readonly account_id: bigint
  readonly lt: bigint
  readonly now: number
  readonly aborted: boolean
  readonly confirmed: boolean
  readonly source_id: bigint
  readonly destination_id: bigint | null
  readonly jetton_id: bigint
}

export interface WalletModel {
  readonly account_id: bigint
  readonly owner_id: bigint
  readonly jetton_id: bigint
  readonly balance: string
  readonly is_claimed: boolean | null
  readonly claim: string | undefined
}

export interface ItemModel {
  readonly account_id: bigint
  readonly lt: bigint
  readonly collection_id: bigint | null
  readonly owner_id: bigint | null
  readonly real_owner_id: bigint | null
  readonly item_index: string
}

const EMPTY: Readonly<Record<string, unknown>> = { bool: false, text: '', numeric: '0', json: {}, jsonb: {} }
const emptyOf = (type: string): unknown =>
  type.endsWith('[]') ? [] : type === 'bytea' ? '\\x' : type in EMPTY ? EMPTY[type] : 0

async function insertRows(pool: pg.Pool, name: string, rows: readonly object[]): Promise<void> {
  const table: TableDefinition = TABLE_TOPICS.flatMap(({ tables }) => [...tables]).find(
    (one) => one.name === name,
  )!
  const columns = Object.entries(table.columns).filter(
    ([key, { filledIn }]) =>
      filledIn === 'never' || (filledIn === 'by default' && rows.some((row) => key in row)),
  )
  const filled = rows.map((row) =>
    Object.fromEntries(
      columns.map(([key, { nullable, type }]) => [
        key,
        (row as Record<string, unknown>)[key] ?? (nullable ? null : emptyOf(type)),
      ]),
    ),
  )
  const text = JSON.stringify(filled, function (this: Record<string, unknown>, key, given) {
    const original = this[key]
    if (Buffer.isBuffer(original)) return `\\x${original.toString('hex')}`
    return typeof original === 'bigint' ? String(original) : given
  })
  const list = columns.map(([key]) => key).join(', ')
  await pool.query(
    `insert into ${name} (${list}) select ${list} from jsonb_populate_recordset(null::${name}, $1::jsonb)`,
    [text],
  )
}
