import {
  ACTIVITY_FROM_ROWS,
  repartition,
  type ScratchDatabase,
  sampleChainDatabase,
} from '@shardwalk/testkit'
import { swept } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepPlans, listTransactionsByMessage } from '../src/index.ts'
import { partitionsDuring } from './any-values.ts'
import { sorted } from './model/lists.ts'

type ByMessageFilter = Parameters<typeof listTransactionsByMessage>[1]

let scratch: ScratchDatabase
let db: ReturnType<typeof keepPlans>
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  await repartition(scratch.pool, 30)
  db = keepPlans(scratch.pool)
})
afterAll(() => scratch?.close())

interface End {
  readonly account_id: bigint
  readonly lt: bigint
  readonly now: number
  readonly side: 'in' | 'out'
  readonly opcode: number | null
  readonly body: string
}

/** All messages at both ends, by plain joins. */
const messageEnds = async () =>
  (
    await scratch.pool.query<End>(
      `with ends as (
         select t.account_id, t.lt, now, 'in' as side, coalesce(in_msg_account_id, account_id) as sender,
           in_msg_lt as first, in_msg_lt as last from transactions t
         union all
         select account_id, lt, now, 'out', account_id, lt + 1, lt + out_msg_count from transactions)
       select e.account_id, e.lt, e.now, side, m.opcode, encode(int8send(m.body_hash8), 'hex') as body
       from ends e join messages m on m.account_id = sender and m.lt between first and last
       order by e.lt, e.account_id`,
    )
  ).rows

const SIDES = [undefined, 'in', 'out'] as const

/** Distinct transactions of the ends, in order. */
function plain(
  ends: readonly End[],
  { message: { opcode }, side, among }: ByMessageFilter,
  sort: 'asc' | 'desc',
): readonly string[] {
  const chosen = ends.filter(
    (end) =>
      end.opcode === opcode &&
      (side === undefined || end.side === side) &&
      among!.accounts!.includes(end.account_id) &&
      end.now >= (among!.time?.from ?? 0),
  )
  const ordered = sorted(chosen, [
    { of: ({ lt }) => lt, sort },
    { of: ({ account_id }) => account_id, sort: 'asc' },
  ])
  return [...new Set(ordered.map(({ lt, account_id }) => `${lt} ${account_id}`))]
}

test('transactions of accounts by an opcode are those of plain joins, on every page', async () => {
  const ends = await messageEnds()
  const counts = new Map<bigint, number>()
  for (const { account_id } of ends) counts.set(account_id, (counts.get(account_id) ?? 0) + 1)
  const busiest = [...counts].sort(([, a], [, b]) => b - a).map(([id]) => id)
  const middle = ends[Math.floor(ends.length / 2)]!.now
  for (const accounts of [busiest.slice(0, 1), busiest.slice(1, 2), busiest.slice(0, 3)])
    for (const time of accounts.length === 1 ? [undefined, { from: middle }] : [undefined]) {
      const own = ends.filter((end) => accounts.includes(end.account_id))
      const opcodes = new Set(own.map((end) => end.opcode).filter((one) => one !== null))
      for (const opcode of swept([...opcodes], 3))
        for (const side of SIDES) {
          const among = { accounts, ...(time && { time }) }
          for (const sort of ['asc', 'desc'] as const) {
            const page = { sort, limit: 7, offset: 1 }
            const filter = { message: { opcode }, side, among, firstLook: 2 }
            const first = await listTransactionsByMessage(db, filter, page)
            const { rows: rest } = first.next
              ? await listTransactionsByMessage(db, filter, {
                  sort,
                  limit: 50,
                  offset: 0,
                  cursor: first.next,
                })
              : { rows: [] }
            const found = [...first.rows, ...rest].map(({ lt, account_id }) => `${lt} ${account_id}`)
            expect([filter, sort, found]).toEqual([filter, sort, plain(own, filter, sort).slice(1, 58)])
          }
        }
    }
})

/** Transactions of the busy account, and of another one. */
const MANY = 12_000
const OPCODE = 0x7eadbeef

/** Copies a row of a table, with other values of some columns. `values`: SQL, `n` counts from 1. */
async function insertCopies(table: string, row: string, values: Readonly<Record<string, string>>) {
  const { rows } = await scratch.pool.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_name = $1 and table_schema = current_schema() and is_generated = 'NEVER'`,
    [table],
  )
  const columns = rows.map(({ name }) => name)
  await scratch.pool.query(
    `insert into ${table} (${columns.join(', ')})
     select ${columns.map((name) => values[name] ?? `x.${name}`).join(', ')}
     from generate_series(1, ${MANY}) n cross join (${row} limit 1) x`,
  )
}

test('a frequent message that is rare among those of a busy account is found by few pages', async () => {
  const { pool } = scratch
  const { rows } = await pool.query<{ id: bigint; first: bigint }>(
    `select account_id as id, (select min(lt) from transactions) as first from transactions
     group by 1 order by count(*) desc, 1 limit 3`,
  )
  const [busy, other, sender] = rows.map(({ id }) => String(id)) as [string, string, string]
  const at = (to: string, plus: number) =>
    `${rows[0]!.first} + n * 1000::int8 + ${to === busy ? 100 : 500} + ${plus}`
  for (const to of [busy, other]) {
    // The busy one received it in its first three transactions, the other one in all.
    const opcode = to === busy ? `case when n <= 3 then ${OPCODE} end` : String(OPCODE)
    await insertCopies('messages', 'select * from messages where kind = 0 and flags & 8 = 0', {
      ...{ account_id: sender, destination_id: to, lt: at(to, 0), opcode },
    })
    await insertCopies('transactions', 'select * from transactions where in_msg_account_id is not null', {
      ...{
        account_id: to,
        lt: at(to, 10),
        in_msg_account_id: sender,
        in_msg_lt: at(to, 0),
        out_msg_count: '0',
      },
    })
  }
  await pool.query(ACTIVITY_FROM_ROWS)
  await pool.query('vacuum analyze transactions, messages')
  for (const more of [{}, { time: { from: 1 } }])
    for (const sort of ['asc', 'desc'] as const) {
      const filter = {
        message: { opcode: OPCODE },
        side: 'in',
        among: { accounts: [BigInt(busy)], ...more },
      } as const
      let count = 0
      const found = await partitionsDuring(scratch, async () => {
        count = (await listTransactionsByMessage(db, filter, { sort, limit: 10, offset: 0 })).rows.length
      })
      const pages = found.reduce((sum, one) => sum + one.pages, 0)
      expect([sort, more, count, pages < 30_000 || pages]).toEqual([sort, more, 3, true])
    }
})
