import type { Db } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { sql } from 'kysely'
import { all, beyondOrAt, type Condition, statement } from '../idiom/index.ts'
import type { ActionSlice } from './action-rows.ts'
import {
  type ActionScan,
  FEW,
  initiated,
  inOrder,
  isAfter,
  ordered,
  type Scan,
  SHORT,
  scanActions,
  visible,
} from './action-scan.ts'

/** Newest actions of a wallet, among which it initiated enough for a page. */
const BEGINNING = 100

/**
 * What to read for a page of an account's actions, until the page is full. With types, or of what it
 * initiated, first the beginning of its list, which is enough for most wallets; then the traces that it
 * began, or the actions of these types, if they are few, otherwise all of its list.
 */
export async function* scansOfAccount(
  db: Db,
  scan: ActionScan & { readonly account: AccountId },
  slice: ActionSlice,
): AsyncIterable<Scan> {
  const { account, types, isInitiator, few = FEW } = scan
  const first = types ? few : Math.min(few, BEGINNING)
  if (types || isInitiator) yield scanAccount(scan, slice, account, first)
  const traceIds = isInitiator && (await allBegunBy(db, account, few))
  if (traceIds) return yield scanActions({ ...scan, traceIds }, slice)
  if (types) {
    const [row] = await BEYOND.rows(db, beyondFirst({ ...scan, types, few }))
    if (row!.is_all) return
    if (row!.are_rare) return yield scanActions(scan, slice, types)
  }
  yield scanAccount(scan, slice, account)
}

/** Raw: a list, up to a limit. Index: traces (external_account_id, bytes of external_hash). */
const BEGUN = statement<{ readonly trace_id: Buffer }>('traces that an account began', { trace_id: 'bytea' })

/**
 * The traces that began with a message from outside to the account, if they are few: contracts that others
 * call have millions of actions that they did not initiate. Undefined: there are many.
 */
async function allBegunBy(db: Db, account: AccountId, few: number): Promise<readonly Buffer[] | undefined> {
  const rows = await BEGUN.rows(
    db,
    sql`select r.trace_id from traces r where r.external_account_id = ${account}::int8 limit ${few + 1}`,
  )
  return rows.length > few ? undefined : rows.map(({ trace_id: id }) => id)
}

/**
 * Raw: two lists, up to a limit. Index: action_accounts (account_id, trace_end_lt), actions (type,
 * trace_end_lt).
 */
const BEYOND = statement<{ readonly is_all: boolean; readonly are_rare: boolean }>(
  'whether an account has many actions, and types have few',
  { is_all: 'bool', are_rare: 'bool' },
)

/**
 * Whether the first rows of an account are all, and if not, whether the types have few actions: then those
 * are the list to read.
 */
function beyondFirst({
  account,
  types,
  lt,
  few,
}: ActionScan & Required<Pick<ActionScan, 'account' | 'types' | 'few'>>): Condition {
  const within = (table: 'a' | 'c') =>
    sql`${sql.raw(table)}.trace_end_lt between ${lt.from}::int8 and ${lt.to}::int8`
  const isShort = (list: Condition) => sql`(select count(*) from (${list} limit ${few}) x) < ${few}`
  return sql`
    select is_all, not is_all and ${isShort(sql`select from actions a
      where a.type = any(${types}::text[]) and ${within('a')}`)} as are_rare
    from (select ${isShort(sql`select from action_accounts c
      where c.account_id = ${account} and ${within('c')}`)} as is_all) x`
}

/**
 * One lookup per action of the account: with a plain join the planner expects almost no visible rows and
 * sorts all actions of the account. `first`: number of its rows that are read, besides others of the same
 * trace.
 */
function scanAccount(scan: ActionScan, slice: ActionSlice, account: AccountId, first?: number): Scan {
  const { key, bounds, after } = inOrder(scan, slice, 'c')
  const ofTrace = key.slice(0, 2)
  const ofAccount = [sql`c.account_id = ${account}`, ...bounds]
  if (after)
    ofAccount.push(sql`(${sql.join(ofTrace)}) ${beyondOrAt(slice.sort)} (${sql.join(after.slice(0, 2))})`)
  const rows =
    first === undefined
      ? sql`action_accounts c`
      : sql`(select * from action_accounts c where ${all(ofAccount)}
          order by ${ordered(ofTrace, slice)} fetch first (${first}) rows with ties) c`
  const from = sql`${rows}
    cross join lateral generate_series(1, length(c.action_bytes), ${SHORT}) place
    cross join lateral (
      select * from actions a
      where substr(a.action_id, 1, ${SHORT}) = substr(c.action_bytes, place, ${SHORT})
        and (a.trace_end_lt + 0) = c.trace_end_lt and substr(a.trace_id, 1, ${SHORT}) = c.trace_bytes
        and ${all([...visible(scan), ...initiated(scan)])} limit 1
    ) a`
  const conditions = after ? [...ofAccount, isAfter(key, after, slice)] : ofAccount
  return { from, order: ordered(key, slice), conditions }
}
