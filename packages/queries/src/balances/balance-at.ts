import { ACCOUNT_STATUS } from '@shardwalk/model'
import { sql } from 'kysely'

/**
 * Why a balance is not known.
 * - `before_index`: the account was last touched before the first indexed block.
 * - `gap`: blocks between its last indexed transaction and the asked block are not indexed, or transactions
 *   between them were not kept (`WATCH`).
 * - `not_shown`: no indexed block shows the data that the account had, or could be read.
 * - `other_layout`: its contract keeps the balance elsewhere in its data than jetton wallets do.
 */
export type BalanceGap = 'before_index' | 'gap' | 'not_shown' | 'other_layout'

const STATUS = Object.fromEntries(
  ACCOUNT_STATUS.map((name, index) => [name, sql.lit(index)]),
) as unknown as Readonly<Record<(typeof ACCOUNT_STATUS)[number], ReturnType<typeof sql.lit>>>

/** The newest transaction of `w` up to the block of `m`: an account's last one in its block. */
const NEWEST = sql`t.account_id = w.account_id and t.lt <= m.end_lt and t.mc_block_seqno <= m.seqno
    order by t.lt desc limit 1`

/** The oldest transaction of `w` after it, if there is none before: whether the account existed. */
const OLDEST = sql`
  left join lateral (
    select f.orig_status, f.mc_block_seqno, f.prev_trans_lt from transactions f
    where t.lt is null and f.account_id = w.account_id order by f.lt limit 1
  ) f on true`

/**
 * Whether `WATCH` may have forgotten transactions of `w` between `t` and the block of `m`: the account's next
 * transaction that is stored, or its newest state, does not follow `t`; without `t`, its first one is not the
 * first there was.
 */
const HOLE = sql`
  left join lateral (
    select true as found where exists (select from watched) and case
      when t.lt is null then f.prev_trans_lt <> 0
      else t.mc_block_seqno < m.seqno and not coalesce(
        (select n.prev_trans_lt = t.lt from transactions n
          where n.account_id = w.account_id and n.lt > t.lt order by n.lt limit 1),
        (select l.lt = t.lt from latest_account_states l where l.account_id = w.account_id), false) end
  ) h on true`

/**
 * What the account of `w` (account_id) held of TON as of the block of `m` (columns of `PastBlock`): joins
 * for the expressions below. Index: primary keys of transactions and of latest_account_states.
 */
export const TON_AT = {
  joins: sql`
  left join lateral (
    select t.lt, t.mc_block_seqno, t.balance_after from transactions t where ${NEWEST}
  ) t on true
  ${OLDEST} ${HOLE}
  left join latest_account_states s on s.account_id = w.account_id and s.lt = 0 and t.lt is null`,
  lt: sql`t.lt`,
  balance: sql`case
    when h.found then null
    when t.mc_block_seqno >= m.from_seqno then t.balance_after::numeric
    when t.lt is null and m.from_seqno = 1 and s.lt is not null then s.balance
    when f.orig_status = ${STATUS.nonexist} and f.mc_block_seqno <= m.to_seqno then 0 end`,
  gap: sql`case
    when t.lt is null then 'before_index'
    when h.found or t.mc_block_seqno < m.from_seqno then 'gap' else 'not_shown' end`,
}

/**
 * The same of the jettons in the wallet `w` (account_id, lt, balance and data_hash of the examined state;
 * null where there is none). The newest state is looked at first: most wallets have not changed since. The
 * data of a state are recognised by their hash, so a block that was not read is never passed over. The
 * balance in the data is trusted as long as it is what the wallet itself says of its examined state.
 */
export const JETTONS_AT = {
  joins: sql`
  left join latest_account_states s on s.account_id = w.account_id
  cross join lateral (
    select coalesce(s.lt = w.lt and s.mc_seqno between m.from_seqno - 1 and m.seqno
      and (s.mc_seqno > 0 or s.lt = 0), false) as unchanged
  ) k
  left join lateral (
    select t.lt, t.mc_block_seqno, t.end_status, t.jetton_balance, t.data_hash_after
    from transactions t where not k.unchanged and ${NEWEST}
  ) t on true
  ${OLDEST} ${HOLE}
  left join lateral (
    select p.jetton_balance, p.data_hash_after from transactions p
    where t.jetton_balance is null and t.data_hash_after is not null and p.account_id = w.account_id
      and p.lt < t.lt and p.jetton_balance is not null
    order by p.lt desc limit 1
  ) p on true
  left join lateral (
    select true as found from transactions x
    where not k.unchanged and x.account_id = w.account_id and x.lt = w.lt
      and x.jetton_balance is distinct from w.balance and x.jetton_balance is not null
  ) odd on true`,
  lt: sql`case when k.unchanged then w.lt else t.lt end`,
  balance: sql`case
    when k.unchanged then w.balance
    when h.found then null
    when t.lt is null then
      case when f.orig_status in (${STATUS.nonexist}, ${STATUS.uninit}) and f.mc_block_seqno <= m.to_seqno
        then 0 end
    when t.mc_block_seqno < m.from_seqno then null
    when t.end_status <> ${STATUS.active} then 0
    when t.data_hash_after = w.data_hash then w.balance
    when odd.found then null
    when t.jetton_balance is not null then t.jetton_balance
    when p.data_hash_after = t.data_hash_after then p.jetton_balance end`,
  gap: sql`case
    when t.lt is null then 'before_index'
    when h.found or t.mc_block_seqno < m.from_seqno then 'gap'
    when odd.found then 'other_layout' else 'not_shown' end`,
}
