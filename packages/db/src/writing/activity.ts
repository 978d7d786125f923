import type { AccountId } from '@shardwalk/model'
import type pg from 'pg'
import { LT_STEP, type RowPlaces } from '../rows/account-ids.ts'

/** Numbers of periods of lt, each as long as `activity_width()`. */
type Periods = ReadonlySet<number>

/** The periods in which rows name each account. */
export function periodsOf(lists: readonly RowPlaces[], width: bigint): ReadonlyMap<AccountId, Periods> {
  const periods = new Map<AccountId, Set<number>>()
  for (const { accounts, lts } of lists)
    for (const [index, id] of accounts.entries()) {
      const period = Number(lts[index]! / width)
      const known = periods.get(id)
      if (known) known.add(period)
      else periods.set(id, new Set([period]))
    }
  return periods
}

/** As the function `encode_activity` of the database does: see docs/schema.md, `accounts`. */
export function encodeActivity(periods: Periods): Buffer {
  const bytes: number[] = []
  const write = (number: number) => {
    for (; number > 127; number = Math.floor(number / 128)) bytes.push((number % 128) + 128)
    bytes.push(number)
  }
  const sorted = [...periods].sort((a, b) => a - b)
  let position = 0
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1
    while (to < sorted.length && sorted[to] === sorted[to - 1]! + 1) to++
    write(sorted[from]! - position)
    write(to - from)
    position = sorted[to - 1]! + 1
    from = to
  }
  return Buffer.from(bytes)
}

/** The database says it, because its functions read what is written with it. */
export async function readActivityWidth(client: pg.ClientBase | pg.Pool): Promise<bigint> {
  const { rows } = await client.query<{ width: bigint }>('select activity_width() as width')
  const width = BigInt(rows[0]!.width)
  if (width % LT_STEP !== 0n) throw new Error(`activity_width() is ${width}, no multiple of ${LT_STEP}`)
  return width
}
