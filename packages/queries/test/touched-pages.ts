import type { Database } from '@shardwalk/db'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { type CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import { expect } from 'vitest'

type Pool = ScratchDatabase['pool']

/** Counts the pages of tables and indexes that statements touch. */
export class TouchedPages {
  private asked: CompiledQuery[] = []

  /** A database whose statements are counted. */
  readonly watched = (pool: Pool): Kysely<Database> =>
    new Kysely<Database>({
      dialect: new PostgresDialect({ pool }),
      log: ({ query }) => {
        this.asked.push(query)
      },
    })

  /** Pages that the statements of `work` with this text touch. */
  readonly of = async (
    work: () => Promise<unknown>,
    text: string,
    pool: Pick<Pool, 'query'>,
  ): Promise<number> => {
    this.asked = []
    await work()
    let pages = 0
    for (const { sql, parameters } of this.asked.filter((one) => one.sql.includes(text))) {
      const { rows } = await pool.query(`explain (analyze, timing off, buffers, format json) ${sql}`, [
        ...parameters,
      ])
      const { Plan: plan } = rows[0]['QUERY PLAN'][0]
      pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
    }
    return pages
  }
}

/** Pages that a snapshot of autovacuum holds back are not visible to all yet, which changes plans. */
export const vacuum = (table: string, pool: Pool) =>
  expect
    .poll(async () => {
      await pool.query(`vacuum analyze ${table}`)
      const { rows } = await pool.query(
        'select relpages, relallvisible from pg_class where oid = $1::regclass',
        [table],
      )
      return rows[0].relallvisible - rows[0].relpages
    })
    .toBe(0)
