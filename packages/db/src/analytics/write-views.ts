import { createHash } from 'node:crypto'
import { isWalletName, namedCodes, namedOpcodes } from '@shardwalk/contracts'
import { type Kysely, sql } from 'kysely'
import { type Comment, writeComments } from './comments.ts'
import { selectOf, type View } from './define-view.ts'
import { FUNCTIONS } from './functions.ts'
import { VIEWS } from './views/index.ts'

const OPCODES = 'analytics.opcodes'
const OPCODE_ROWS = [...namedOpcodes()].map(([opcode, name]) => ({ opcode: opcode | 0, name }))

const CODE_NAMES = 'analytics.code_names'
const CODE_ROWS = [...namedCodes()].map(([hash, name]) => ({
  hash: Buffer.from(hash, 'base64').toString('hex'),
  name,
  wallet: isWalletName(name) ? name : null,
}))

const createView = (view: View): string => `create view analytics.${view.name} as\n  ${selectOf(view)}`
const createFunction = ({ signature, sql: body }: (typeof FUNCTIONS)[number]): string =>
  `create or replace function ${signature} ${body}`

const STATEMENTS: readonly string[] = [
  `drop table if exists ${OPCODES}`,
  `create table ${OPCODES} (opcode int primary key, name text not null)`,
  `drop table if exists ${CODE_NAMES}`,
  `create table ${CODE_NAMES} (code_hash bytea primary key, name text not null, wallet text)`,
  ...FUNCTIONS.map(createFunction),
  ...VIEWS.map(createView),
]

const COMMENTS: readonly Comment[] = [
  { relation: OPCODES, kind: 'table', text: 'Names of opcodes.' },
  { relation: OPCODES, kind: 'table', column: 'opcode', text: 'First 32 bits of a body, signed.' },
  { relation: OPCODES, kind: 'table', column: 'name', text: 'What messages with it are called.' },
  { relation: CODE_NAMES, kind: 'table', text: 'Names of known codes of contracts.' },
  { relation: CODE_NAMES, kind: 'table', column: 'code_hash', text: 'Hash of the code cell.' },
  { relation: CODE_NAMES, kind: 'table', column: 'name', text: 'Interface of the code, as in the API.' },
  { relation: CODE_NAMES, kind: 'table', column: 'wallet', text: 'The name if it is a wallet.' },
  ...VIEWS.flatMap(({ name, comment, columns }) => [
    { relation: `analytics.${name}`, kind: 'view' as const, text: comment },
    ...Object.entries(columns).map(([column, [, text]]) => ({
      relation: `analytics.${name}`,
      kind: 'view' as const,
      column,
      text,
    })),
  ]),
]

/** Comment of the schema: tells by its hash whether the views are those of this version. */
const DESCRIPTION = `Views for people, see docs/analytics.md. ${createHash('sha256')
  .update(JSON.stringify([STATEMENTS, COMMENTS, FUNCTIONS, OPCODE_ROWS, CODE_ROWS]))
  .digest('hex')}`

/**
 * Drops the views with whatever was built on them: columns that they show could not be changed otherwise. The
 * next `writeViews` makes them again.
 */
export async function dropViews(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = to_regnamespace('analytics') and c.relkind = 'v'
  `.execute(db)
  if (rows.length === 0) return
  await sql`comment on schema analytics is null`.execute(db)
  for (const { name } of rows) await sql.raw(`drop view if exists ${name} cascade`).execute(db)
}

/** Makes functions and views of this version, unless they are there. Call in a transaction. */
export async function writeViews(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ description: string | null }>`
    select obj_description(to_regnamespace('analytics'), 'pg_namespace') as description
  `.execute(db)
  if (rows[0]?.description === DESCRIPTION) return
  await dropViews(db)
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
  await sql`insert into ${sql.table(OPCODES)} select * from jsonb_to_recordset(${JSON.stringify(OPCODE_ROWS)})
    as given (opcode int, name text)`.execute(db)
  await sql`insert into ${sql.table(CODE_NAMES)}
    select decode(hash, 'hex'), name, wallet from jsonb_to_recordset(${JSON.stringify(CODE_ROWS)})
    as given (hash text, name text, wallet text)`.execute(db)
  await writeComments(db, COMMENTS)
  for (const { signature, comment } of FUNCTIONS) {
    const name = sql.raw(signature.replaceAll(/ default \w+/g, ''))
    await sql`comment on function ${name} is ${sql.lit(comment)}`.execute(db)
  }
  await sql`comment on schema analytics is ${sql.lit(DESCRIPTION)}`.execute(db)
}
