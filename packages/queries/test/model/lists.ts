import type { Db } from '@shardwalk/db'
import { isLong } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Page, PageRequest, Sort } from '../../src/index.ts'
import type { Dice } from './dice.ts'

type Value = bigint | number | string | Buffer
/** Columns that order a list, each in its direction. */
export type Order<Row> = readonly { readonly of: (row: Row) => Value; readonly sort: Sort }[]

function compare(a: Value, b: Value): number {
  if (Buffer.isBuffer(a)) return a.compare(b as Buffer)
  return a < b ? -1 : a > b ? 1 : 0
}

export const sorted = <Row>(rows: readonly Row[], order: Order<Row>): Row[] =>
  [...rows].sort((a, b) => {
    for (const { of, sort } of order) {
      const result = compare(of(a), of(b)) * (sort === 'asc' ? 1 : -1)
      if (result !== 0) return result
    }
    return 0
  })

export const within = <T extends bigint | number>(
  value: T,
  { from, to }: { readonly from?: T | undefined; readonly to?: T | undefined },
) => (from === undefined || value >= from) && (to === undefined || value <= to)
export const isTimed = (time: object | undefined) =>
  Object.values(time ?? {}).some((value) => value !== undefined)
export const includes = (list: readonly Buffer[], hash: Buffer) => list.some((one) => one.equals(hash))
export const same = <T>(wanted: T | undefined, value: T) => wanted === undefined || wanted === value
export const allows = <T>(list: readonly T[] | undefined, value: T) =>
  list === undefined || list.includes(value)

/** A list as it was asked for, and the rows that the model has for it. */
export interface ModelledList<Row> {
  readonly asked: object
  readonly expected: readonly Row[]
  readonly table: string
  /** Columns that tell its rows apart. */
  readonly key: readonly (keyof Row & string)[]
  /** Columns by which a row is deleted. Default: the key. */
  readonly deletedBy?: readonly (keyof Row & string)[]
  /** An offset may count rows that the list leaves out. */
  readonly skipsMore?: boolean
  readonly read: (db: Db, page: PageRequest) => Promise<Page<object>>
}

/** Longer lists are compared as far as these lead. */
const MAX_PAGES = isLong ? 15 : 5

/** Compares lists of a database with those of the model. */
export class Lists {
  constructor(
    private readonly db: Db,
    private readonly dice: Dice,
  ) {}

  /** All pages together, those after an offset, behind a cursor too, and those after a row that is gone. */
  async expect<Row extends object>(list: ModelledList<Row>): Promise<void> {
    const { dice, db } = this
    const limit = dice.pick([1, 4, 30, 200])
    const { expected } = list
    await this.expectPages(db, list, { limit, offset: 0, expected })
    if (!list.skipsMore) {
      const offset = dice.upTo(expected.length + 2)
      await this.expectPages(db, list, { limit, offset, expected: expected.slice(offset), most: 2 })
      const { next: cursor } = await list.read(db, { limit, offset: 0 })
      const rest = expected.slice(limit)
      const further = dice.upTo(rest.length + 2)
      if (cursor !== undefined)
        await this.expectPages(db, list, {
          ...{ limit, offset: further, cursor, expected: rest.slice(further), most: 1 },
        })
    }
    if (expected.length > limit && dice.chance(0.3)) await this.expectGoesOn(list, limit)
  }

  private async expectPages<Row extends object>(
    db: Db,
    list: ModelledList<Row>,
    page: PageRequest & { readonly expected: readonly Row[]; readonly most?: number },
  ): Promise<void> {
    const { expected, most = MAX_PAGES, limit, offset } = page
    const found: object[] = []
    let next = page.cursor
    let pages = 0
    do {
      const read = await list.read(db, { limit, offset: pages === 0 ? offset : 0, cursor: next })
      found.push(...read.rows)
      next = read.next
      // As the API accepts them.
      expect(next ?? '-').toMatch(/^[\w-]{1,400}$/)
    } while (++pages < most && next !== undefined)
    const { asked } = list
    const rows = next === undefined ? expected : expected.slice(0, found.length)
    expect({ asked, limit, offset, keys: this.keys(list, found) }).toEqual({
      ...{ asked, limit, offset },
      keys: this.keys(list, rows),
    })
  }

  /** The last row of a page, and one after it, are deleted before the next page is read. */
  private async expectGoesOn<Row extends object>(list: ModelledList<Row>, limit: number): Promise<void> {
    const undone = new Error('undone')
    const read = this.db.transaction().execute(async (db) => {
      // Pages may be short.
      const { rows, next: cursor } = await list.read(db, { limit, offset: 0 })
      const rest = list.expected.slice(rows.length)
      const later = this.dice.pick(rest)
      const last = list.expected[rows.length - 1]
      for (const row of last ? [last, later] : [later]) await deleteRow(db, list, row)
      const expected = rest.filter((row) => row !== later)
      await this.expectPages(db, list, { limit, offset: 0, cursor, expected })
      throw undone
    })
    await read.catch((error: unknown) => {
      if (error !== undone) throw error
    })
  }

  private keys<Row extends object>({ key }: ModelledList<Row>, rows: readonly object[]): readonly string[] {
    return rows.map((row) => key.map((name) => textOf((row as Row)[name])).join(' '))
  }
}

const textOf = (value: unknown): string => (Buffer.isBuffer(value) ? value.toString('hex') : String(value))

const deleteRow = <Row extends object>(db: Db, list: ModelledList<Row>, row: Row) =>
  sql`delete from ${sql.table(list.table)} where ${sql.join(
    (list.deletedBy ?? list.key).map((name) => sql`${sql.ref(name)} = ${row[name]}`),
    sql` and `,
  )}`.execute(db)
