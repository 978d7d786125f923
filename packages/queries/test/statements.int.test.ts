import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { KEPT_PLAN } from '@shardwalk/db'
import {
  believeLarge,
  indexColumns,
  type ScratchDatabase,
  sampleChainDatabase,
  wholeScansIn,
} from '@shardwalk/testkit'
import type { CompiledQuery } from 'kysely'
import type { ClientBase } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Statement } from '../src/idiom/statement.ts'
import { planForAnyValues } from './any-values.ts'
import { accounts } from './calls/accounts.ts'
import { actions } from './calls/actions.ts'
import { balances } from './calls/balances.ts'
import { blocks } from './calls/blocks.ts'
import type { Calls } from './calls/calls.ts'
import { messages } from './calls/messages.ts'
import { partitions } from './calls/partitions.ts'
import { pending } from './calls/pending.ts'
import { progress } from './calls/progress.ts'
import { streaming } from './calls/streaming.ts'
import { tokens } from './calls/tokens.ts'
import { traces } from './calls/traces.ts'
import { transactions } from './calls/transactions.ts'

const TOPICS: Readonly<Record<string, Calls>> = {
  accounts,
  actions,
  balances,
  blocks,
  messages,
  pending,
  progress,
  streaming,
  tokens,
  traces,
  transactions,
  // Leaves many of them.
  partitions,
}

let scratch: ScratchDatabase
let seen: Awaited<ReturnType<typeof seenDuring>>
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  seen = await seenDuring(async () => {
    for (const calls of Object.values(TOPICS)) await calls(scratch.db, scratch)
  })
})
afterAll(() => scratch?.close())

/** Every distinct text of every statement executed during the calls. */
async function seenDuring(
  work: () => Promise<void>,
): Promise<ReadonlyMap<Statement<unknown>, CompiledQuery[]>> {
  const seen = new Map<Statement<unknown>, Map<string, CompiledQuery>>()
  const original = Statement.prototype.rows
  const spy = vi.spyOn(Statement.prototype, 'rows').mockImplementation(function (
    this: Statement<unknown>,
    db,
    text,
  ) {
    const compiled = text.compile(db)
    seen.set(this, (seen.get(this) ?? new Map()).set(compiled.sql, compiled))
    return original.call(this, db, text)
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return new Map([...seen].map(([made, texts]) => [made, [...texts.values()]]))
}

/** Names of types by their number. */
async function readTypes(): Promise<ReadonlyMap<number, string>> {
  const { rows } = await scratch.pool.query('select oid::int4 as oid, typname as name from pg_type')
  return new Map(rows.map(({ oid, name }) => [oid, name.startsWith('_') ? `${name.slice(1)}[]` : name]))
}

/** Names and types of the columns that PostgreSQL returns. */
async function describeColumns(
  { sql, parameters }: CompiledQuery,
  names: ReadonlyMap<number, string>,
): Promise<Record<string, string>> {
  const { fields } = await scratch.pool.query({ text: sql, values: [...parameters] })
  return Object.fromEntries(fields.map((field) => [field.name, names.get(field.dataTypeID)!]))
}

function sources(): readonly { readonly file: string; readonly text: string }[] {
  const root = fileURLToPath(new URL('../src', import.meta.url))
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}

/** Names of all statements of the package. Throws if a declaration does not begin with its name. */
const declaredNames = (): string[] =>
  sources().flatMap(({ file, text }) => {
    const names = [...text.matchAll(/\bstatement<[^()]*>\(\s*'([^']+)'/g)].map(([, name]) => name!)
    const uses = [...text.matchAll(/(?<!function |const )\bstatement[<(]/g)]
    if (uses.length !== names.length) throw new Error(`${file}: a statement without a name of its own`)
    return names
  })

test('every raw statement returns the columns that it declares, for any filter', async () => {
  const types = await readTypes()
  const wrong = []
  for (const [made, texts] of seen)
    for (const text of texts) {
      const columns = await describeColumns(text, types)
      if (!isDeepStrictEqual(columns, made.types))
        wrong.push({ name: made.name, text: text.sql, columns, declared: made.types })
    }
  expect(wrong).toEqual([])
  expect([...seen.keys()].map(({ name }) => name).sort()).toEqual(declaredNames().sort())
})

test('every template with a row type is declared', () => {
  const offending = sources().filter(({ text }) => /\bsql<(?!boolean>)/.test(text))
  expect(offending.map(({ file }) => file)).toEqual([])
})

/** As `configurePlans` has it: for any values if the plan is kept. */
async function planOf(client: ClientBase, { sql, parameters }: CompiledQuery) {
  if (sql.trimStart().startsWith(KEPT_PLAN)) return planForAnyValues(client, { sql, parameters })
  const { rows } = await client.query(`explain (format json) ${sql}`, [...parameters])
  return rows[0]['QUERY PLAN'][0].Plan
}

/**
 * The sample is believed to be the end of the chain. What its first rows end with is then nearly the whole
 * chain, which is read by time from its beginning.
 */
const FROM_THE_BEGINNING = /order by [tm]\.(now|created_at) asc/

test('no raw statement reads a whole table at four billion transactions', async ({ skip }) => {
  // The other one has many partitions by now, whose rows are too few for statistics.
  const large = await sampleChainDatabase()
  const client = await large.pool.connect()
  try {
    if (!(await believeLarge(large.pool))) skip('PostgreSQL 18 with its files on this machine is needed')
    const columns = await indexColumns(client)
    const found = []
    for (const [{ name }, texts] of seen)
      for (const text of texts) {
        if (FROM_THE_BEGINNING.test(text.sql)) continue
        const scans = wholeScansIn(await planOf(client, text), columns)
        if (scans.length > 0) found.push({ name, text: text.sql, scans })
      }
    expect(found).toEqual([])
  } finally {
    client.release()
    await large.close()
  }
})
