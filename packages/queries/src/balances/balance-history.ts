import type { Db } from '@shardwalk/db'
import { type AccountId, MASTERCHAIN } from '@shardwalk/model'
import { type RawBuilder, sql } from 'kysely'
import { ltRangeOfTime, WHOLE_WORKCHAIN } from '../blocks/index.ts'
import {
  all,
  beyond,
  type Condition,
  Cursor,
  direction,
  int4,
  int8,
  type Page,
  readPage,
  type SortedPageRequest,
  statement,
  type TimeRange,
  timeConditions,
} from '../idiom/index.ts'
import { type BalanceGap, JETTONS_AT, TON_AT } from './balance-at.ts'

/** A balance from one moment on. */
export interface BalanceRow {
  /** Time of the block; of a period its first second. Unix seconds. */
  readonly utime: number
  /** Masterchain block that commits it; of a period the last one in it. */
  readonly mc_seqno: number
  /** Of the transaction that left it; null: none is indexed. */
  readonly lt: bigint | null
  /** Nanotons, or the smallest unit of the jetton; null: not known. */
  readonly balance: string | null
  readonly gap: BalanceGap | null
}

const BALANCE_TYPES = {
  utime: 'int4',
  mc_seqno: 'int4',
  lt: 'int8',
  balance: 'numeric',
  gap: 'text',
} as const

/** Whose balance: TON of the account, or jettons of the wallet. */
export interface BalanceHolder {
  readonly accountId: AccountId
  readonly asset: 'ton' | 'jettons'
}

const OF_ASSET = { ton: TON_AT, jettons: JETTONS_AT } as const

/** The holder as `w`. */
const holderRow = ({ accountId, asset }: BalanceHolder): RawBuilder<unknown> =>
  asset === 'ton'
    ? sql`(select ${accountId}::bigint as account_id) w`
    : sql`(select account_id, lt, balance, data_hash from jetton_wallets where account_id = ${accountId}
        union all
        select account_id, null, null, null from former_contracts where account_id = ${accountId}) w`

/** Columns of `BalanceRow` for every row of `m`. */
function balancesAt(holder: BalanceHolder, points: RawBuilder<unknown>): RawBuilder<unknown> {
  const { joins, lt, balance, gap } = OF_ASSET[holder.asset]
  return sql`select m.utime, m.seqno as mc_seqno, ${lt} as lt, ${balance} as balance,
      case when ${balance} is null then ${gap} end as gap
    from ${holderRow(holder)} cross join (${points}) m ${joins}`
}

type ChangeRow = BalanceRow & { readonly lt: bigint }
const CHANGES = statement<ChangeRow>('balances after transactions', BALANCE_TYPES)
const CHANGE_CURSOR = new Cursor<Pick<ChangeRow, 'lt'>>('balance-change', { lt: int8 })

/**
 * The balance after each block with transactions of the holder. Order: lt. Index: primary key of
 * transactions.
 */
export async function listBalanceChanges(
  db: Db,
  holder: BalanceHolder,
  { time, ...page }: SortedPageRequest & { readonly time: TimeRange },
): Promise<Page<ChangeRow>> {
  const lts = await ltRangeOfTime(db, time)
  return readPage(page, { cursor: CHANGE_CURSOR }, ({ sort, limit, offset, after }) => {
    const conditions: Condition[] = [
      sql`c.account_id = ${holder.accountId}`,
      sql`c.lt between ${lts.from} and ${lts.to}`,
      sql`c.balance_after is not null`,
      ...timeConditions(sql`c.now`, time),
      ...(after ? [sql`c.lt ${beyond(sort)} ${after.lt}`] : []),
    ]
    // A transaction that is indexed stands for itself: what lies around its block does not matter.
    const points = sql`
      select c.now as utime, c.mc_block_seqno as seqno, c.lt as end_lt, c.mc_block_seqno as from_seqno,
        c.mc_block_seqno as to_seqno
      from transactions c where ${all(conditions)}
      order by c.lt ${direction(sort)} limit ${limit} offset ${offset}`
    return CHANGES.rows(
      db,
      sql`select * from (${balancesAt(holder, points)}) b order by b.lt ${direction(sort)}`,
    )
  })
}

const PERIOD_SECONDS = { hour: 3600, day: 86_400 } as const
/** Length of a period; days begin at 00:00 UTC. */
export type Period = keyof typeof PERIOD_SECONDS

/** A page of periods. */
export interface PeriodRequest extends SortedPageRequest {
  readonly period: Period
  /** Periods that begin in it; both ends are given. Unix seconds. */
  readonly time: { readonly from: number; readonly to: number }
  /** The indexed range that the periods are taken from. */
  readonly range: { readonly from: number; readonly to: number }
}

const PERIODS = statement<BalanceRow>('balances at the ends of periods', BALANCE_TYPES)
const PERIOD_CURSOR = new Cursor<Pick<BalanceRow, 'utime'>>('balance-period', { utime: int4 })

/**
 * The balance at the end of each hour or day (UTC), also of those in which it did not change. Order: time.
 * Index: blocks (gen_utime), primary keys of transactions and latest_account_states.
 */
export function listPeriodBalances(
  db: Db,
  holder: BalanceHolder,
  { period, time, range, ...page }: PeriodRequest,
): Promise<Page<BalanceRow>> {
  const seconds = PERIOD_SECONDS[period]
  const floor = (utime: number): number => Math.floor(utime / seconds) * seconds
  return readPage(page, { cursor: PERIOD_CURSOR, by: period }, ({ sort, limit, offset, after }) => {
    const [first, last] = sort === 'asc' ? [time.from, time.to] : [time.to, time.from]
    const step = sort === 'asc' ? seconds : -seconds
    const begin = after ? after.utime + step : floor(first)
    const points = sql`
      select g.utime, b.seqno, b.batch_end_lt as end_lt, ${range.from}::int as from_seqno,
        ${range.to}::int as to_seqno
      from (
        select utime::int
        from generate_series(${begin}::bigint, ${floor(last)}::bigint, ${step}::bigint) utime
        order by utime ${direction(sort)} limit ${limit} offset ${offset}
      ) g
      cross join lateral (
        select b.seqno, b.batch_end_lt from blocks b
        where b.workchain = ${sql.lit(MASTERCHAIN)} and b.shard = ${WHOLE_WORKCHAIN}
          and b.gen_utime < g.utime + ${seconds}::int
        order by b.gen_utime desc, b.seqno desc limit 1
      ) b
      where b.seqno between ${range.from} and ${range.to}`
    return PERIODS.rows(
      db,
      sql`select * from (${balancesAt(holder, points)}) b order by b.utime ${direction(sort)}`,
    )
  })
}
