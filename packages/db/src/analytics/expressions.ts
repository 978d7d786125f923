import type { ViewColumns } from './define-view.ts'

/** Unix seconds as a time. The same expression is indexed (`<table>_time`). */
const time = (column: string): string => `to_timestamp(${column})`
/** The day (UTC) of Unix seconds. */
export const date = (column: string): string => `(to_timestamp(${column}) at time zone 'UTC')::date`

/** Leading columns of nearly every view. `column`: Unix seconds. */
export const times = (column: string, what = 'Time of the block'): ViewColumns => ({
  block_time: [time(column), `${what}.`],
  block_date: [date(column), `${what}: the day, UTC.`],
})

/** Meaning of `mc_block_seqno`. */
export const COMMITTED = 'Masterchain block that commits it.'

/** A hash as the API shows it. */
export const hash = (column: string): string => `encode(${column}, 'base64')`

/** Nanotons as TON, exact. */
export const ton = (column: string): string => `${column} * 0.000000001`

/**
 * The table of addresses, for the id in `column`. A left join, because the planner drops those whose columns
 * a query does not use.
 */
export const account = (alias: string, column: string): string =>
  `left join accounts ${alias} on ${alias}.id = ${column}`

/** `0:` and 64 upper-case hex digits. The same expression is indexed (`accounts_address_text`). */
export const address = (alias: string): string =>
  `analytics.address_text(${alias}.workchain, ${alias}.address)`

/** Address of the account with an id, in a subquery. */
export const addressOf = (id: string): string =>
  `(select analytics.address_text(workchain, address) from accounts where id = ${id})`

/**
 * Details of the action `a`, behind it as `d`. Evaluated once per row, and only where a column of the query
 * needs them.
 */
export const DETAILS = `cross join lateral (
    select analytics.action_details(a.details, array(
      select (select analytics.address_text(x.workchain, x.address) from accounts x where x.id = i.id)
      from unnest(account_ids_in(a.account_ids)) as i(id))) as details offset 0
  ) d`

/**
 * As `trace_id_of`, whose loop takes longer than all other columns of a transaction together: nearly every
 * piece is the root or one step from it.
 */
export const traceId = (piece: string): string =>
  `coalesce(
    (select r.trace_id from traces r
     where r.piece = coalesce((select p.ancestor from trace_pieces p where p.piece = ${piece}), ${piece})
       and not exists (select from trace_pieces q where q.piece = r.piece) limit 1),
    trace_id_of(${piece}))`

/** As `traceId`, joined: neighbours are often of one trace, which the planner then looks up once. */
export const joinedTrace = (piece: string): string => `left join trace_pieces tp on tp.piece = ${piece}
  left join trace_pieces above on above.piece = tp.ancestor
  left join lateral (
    select r.trace_id from traces r where r.piece = coalesce(tp.ancestor, ${piece}) limit 1
  ) r on true`

/** Behind `joinedTrace` of the same piece. */
export const joinedTraceId = (piece: string): string =>
  `case when above.piece is null and r.trace_id is not null then r.trace_id else trace_id_of(${piece}) end`

/** `t` is the first transaction at its address. `prev_trans_lt` is 0 again when a deleted account is back. */
export const isFirst = (t: string): string =>
  `(${t}.prev_trans_lt = 0 and not exists (select from transactions earlier
      where earlier.account_id = ${t}.account_id and earlier.lt < ${t}.lt))`

/** The name that a number stands for. */
export const nameOf = (names: readonly string[], column: string): string =>
  `(array[${names.map((name) => `'${name}'`).join(', ')}])[${column} + 1]`

/** An opcode as the API shows it. */
export const opcode = (column: string): string => `'0x' || lpad(to_hex(${column}), 8, '0')`
/** Name of an opcode in a column; null when it has none. */
export const opcodeName = (column: string): string =>
  `(select o.name from analytics.opcodes o where o.opcode = ${column})`

/** Last columns of a view of token events: their transaction. `event` has its account_id and lt. */
export const transactionOf = (event: string): ViewColumns => {
  const field = (expression: string): string =>
    `(select ${expression} from transactions x
      where x.account_id = ${event}.account_id and x.lt = ${event}.lt)`
  return {
    tx_hash: [field(hash('x.hash')), 'The transaction, base64.'],
    trace_id: [field(hash(traceId('x.piece'))), 'Hash of the root of its trace, base64.'],
    mc_block_seqno: [field('x.mc_block_seqno'), COMMITTED],
  }
}
