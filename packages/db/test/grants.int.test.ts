import { ROLE_PASSWORDS, type ScratchDatabase, scratchDatabase, urlOfRole } from '@shardwalk/testkit'
import { recordedBatches } from '@shardwalk/testkit/refresh-chain'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BatchSink,
  createDb,
  DATABASE_ROLES,
  type DatabaseHandle,
  type DatabaseRole,
  type EncodedBatch,
  grantRoles,
  insertApiKey,
  insertSentMessage,
  migrate,
  RIGHTS,
  requestMetadata,
  tableChecksums,
  trimSentMessages,
} from '../src/index.ts'

const ROLES = Object.keys(ROLE_PASSWORDS) as DatabaseRole[]
const DENIED = '42501'

let scratch: ScratchDatabase
let batches: EncodedBatch[]
const as = {} as Record<DatabaseRole, DatabaseHandle>

beforeAll(async () => {
  scratch = await scratchDatabase()
  batches = await recordedBatches({ to: 40 })
  // An existing database: there are partitions and rows before there are roles.
  await new BatchSink(scratch.pool, { partitionWidth: 20_000_000n }).commitBatches(batches.slice(0, 10))
  await grantRoles(scratch.pool, { create: true, passwords: ROLE_PASSWORDS, isOwnServer: true })
  for (const role of ROLES) as[role] = createDb({ url: urlOfRole(scratch.url, role), max: 2 })
})
afterAll(async () => {
  for (const role of ROLES) await as[role]?.close()
  await scratch?.close()
})

interface Table {
  readonly name: string
  readonly root: string
  /** One that can be written. */
  readonly column: string
}

/** Of the catalogue, partitions included. */
async function tables(): Promise<readonly Table[]> {
  const { rows } = await scratch.pool.query<Table>(
    `select c.oid::regclass::text as name, p.relname as root,
       (select quote_ident(attname) from pg_attribute where attrelid = c.oid and attnum > 0
        and attgenerated = '' and attidentity = '' and not attisdropped limit 1) as column
     from pg_class c
     join pg_class p on p.oid = coalesce(pg_partition_root(c.oid), c.oid)
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`,
  )
  return rows
}

const attempt = (role: DatabaseRole, statement: string): Promise<string> =>
  as[role].pool.query(statement).then(
    () => 'allowed',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  )

/** The same, of several statements in one query. What was allowed is undone. */
async function attemptAll(role: DatabaseRole, statements: readonly string[]): Promise<Map<string, string>> {
  const client = await as[role].pool.connect()
  const outcomes: string[] = []
  const note = ({ message }: { readonly message: string | undefined }) => outcomes.push(message ?? '')
  client.on('notice', note)
  try {
    // A block with an exception clause is a subtransaction.
    const each = statements.map(
      (statement) => `begin
          execute $statement$${statement}$statement$;
          raise notice 'allowed';
        exception when others then raise notice '%', sqlstate;
        end;`,
    )
    await client.query(
      `begin; set local client_min_messages to notice; do $do$ begin ${each.join(' ')} end $do$; rollback`,
    )
  } finally {
    client.off('notice', note)
    client.release()
  }
  expect(outcomes.length).toBe(statements.length)
  return new Map(statements.map((statement, at) => [statement, outcomes[at]!]))
}

/** Changes no row, whoever runs it. */
const STATEMENTS = {
  SELECT: ({ name }: Table) => `select from ${name} limit 0`,
  INSERT: ({ name }: Table) => `insert into ${name} select from accounts where false`,
  UPDATE: ({ name, column }: Table) => `update ${name} set ${column} = null where false`,
  DELETE: ({ name }: Table) => `delete from ${name} where false`,
} as const

/** insufficient_privilege; read_only_sql_transaction, which the analyst's session is by default. */
const REFUSED = [DENIED, '25006']

describe('on every table of the catalogue', () => {
  test.each(ROLES)(
    'the %s may do what its rights say, and nothing else',
    async (role) => {
      const { onTables, except } = RIGHTS[role]
      const found = await tables()
      expect(found.filter(({ name, root }) => name !== root).length).toBeGreaterThan(1)
      for (const table of found) {
        const may: readonly string[] = except[table.root] ?? onTables
        const refused = [
          `alter table ${table.name} add column mine int`,
          `drop table ${table.name}`,
          `truncate ${table.name}`,
        ]
        const privileges = Object.entries(STATEMENTS)
        const outcomes = await attemptAll(role, [
          ...privileges.map(([, statement]) => statement(table)),
          ...refused,
        ])
        for (const [statement, outcome] of outcomes) {
          const privilege = privileges.find(([, make]) => make(table) === statement)?.[0]
          if (privilege && may.includes(privilege)) expect(outcome, statement).toBe('allowed')
          else expect(REFUSED, statement).toContain(outcome)
        }
      }
    },
    300_000,
  )

  test.each(ROLES)('the %s creates no tables, roles or databases, and reads no password', async (role) => {
    const statements = [
      'create table mine (i int)',
      'create role mine',
      'create database mine',
      'select rolpassword from pg_authid',
      "select pg_read_file('/etc/hostname')",
      'set role postgres',
      ...(role === 'writer' ? [] : ['create schema mine', 'create temporary table mine (i int)']),
    ]
    for (const statement of statements)
      expect(['42501', '25006', '22023'], statement).toContain(await attempt(role, statement))
  })
})

test('the writer indexes, with new partitions that the others can read', async () => {
  const before = (await tables()).length
  await new BatchSink(as.writer.pool, { partitionWidth: 20_000_000n }).commitBatches(batches.slice(10))
  const after = await tables()
  expect(after.length).toBeGreaterThan(before)
  const owner = await scratchDatabase()
  try {
    await new BatchSink(owner.pool).commitBatches(batches)
    expect(await tableChecksums(as.reader.db)).toEqual(await tableChecksums(owner.db))
    expect(await tableChecksums(as.analyst.db)).toEqual(await tableChecksums(owner.db))
  } finally {
    await owner.close()
  }
  expect(await attempt('writer', 'analyze')).toBe('allowed')
  expect(await attempt('writer', 'create schema own_queue')).toBe('allowed')
})

test('only the tables with partitions get more of them, from the writer alone', async () => {
  expect(await attempt('writer', "select create_lt_partition('accounts', 0, 1)")).toBe('P0001')
  for (const role of ['reader', 'analyst'] as const)
    expect(await attempt(role, "select create_lt_partition('messages', 900000000, 900000001)")).toBe(DENIED)
})

test('what the API writes is written by the reader', async () => {
  const { db } = as.reader
  const message = { hashNorm: Buffer.alloc(32, 1), boc: Buffer.of(1) }
  await insertSentMessage(db, message)
  await insertSentMessage(db, message)
  await trimSentMessages(db, { max: 0 })
  await scratch.pool.query('insert into metadata_fetcher (id, seen_at) values (1, now())')
  await scratch.pool.query(
    `insert into metadata_queue (account_id, type, priority, due_at, source_hash)
     values (1, 1, 3, now(), '')`,
  )
  await requestMetadata(db, [
    { accountId: 1n, type: 'jetton_masters' },
    { accountId: 2n, type: 'nft_items' },
  ])
  const { rows } = await scratch.pool.query('select priority from metadata_queue')
  expect(rows.length).toBeGreaterThanOrEqual(2)
})

test('the analyst has limits and no secrets', async () => {
  const { rows } = await as.analyst.pool.query<Record<string, string>>(
    `select current_setting('work_mem') as work_mem,
       current_setting('default_transaction_read_only') as read_only,
       rolconnlimit as connections from pg_roles where rolname = current_user`,
  )
  expect(rows).toEqual([{ work_mem: '64MB', read_only: 'on', connections: 5 }])
  const role = await scratch.pool.query('select rolconfig from pg_roles where rolname = $1', [
    DATABASE_ROLES.analyst,
  ])
  expect(String(role.rows[0]?.rolconfig)).toContain('statement_timeout=5min')
  await insertApiKey(scratch.db, {
    ...{ account: 'a', requestsPerSecond: 1, keyHash: Buffer.alloc(32), prefix: 'p' },
  })
  expect(await attempt('analyst', 'select from api_keys')).toBe(DENIED)
})

test('granting again changes nothing, takes back what is too much, and reaches new tables', async () => {
  const acl = async () =>
    (
      await scratch.pool.query(
        `select relname, relacl::text from pg_class where relnamespace = 'public'::regnamespace
         and relkind in ('r', 'p') order by 1`,
      )
    ).rows
  const before = await acl()
  await scratch.pool.query(`grant all on blocks to ${DATABASE_ROLES.reader}`)
  await Promise.all([1, 2].map(() => grantRoles(scratch.pool)))
  expect(await acl()).toEqual(before)
  await scratch.pool.query('create table later (i int)')
  expect(await attempt('reader', 'select from later')).toBe('allowed')
  expect(await attempt('reader', 'delete from later')).toBe(DENIED)
  await scratch.pool.query('drop table later')
})

test('a user who does not own the tables neither migrates nor grants, and needs neither', async () => {
  expect(await migrate(as.writer.db)).toEqual([])
  expect(await grantRoles(as.writer.pool, { create: true })).toBeUndefined()
})

test('an owner who is no superuser prepares its database, and the writer indexes there', async () => {
  const name = `owner_${process.pid}`
  const own = await scratchDatabase({ migrated: false })
  const url = new URL(own.url)
  await own.pool.query(`create role ${name} login createrole password 'owner'`)
  await own.pool.query(`alter database ${url.pathname.slice(1)} owner to ${name}`)
  url.username = name
  url.password = 'owner'
  const owner = createDb({ url: url.href, max: 2 })
  const writer = createDb({ url: urlOfRole(own.url, 'writer'), max: 2 })
  try {
    await migrate(owner.db)
    expect(await grantRoles(owner.pool, { create: true })).toEqual(ROLES)
    await new BatchSink(writer.pool).commitBatches(batches.slice(0, 5))
    // Whoever owns everything needs no roles.
    await new BatchSink(owner.pool).commitBatches(batches.slice(5, 10))
    expect((await own.pool.query('select from blocks')).rowCount).toBeGreaterThan(10)
  } finally {
    await writer.close()
    await owner.close()
    await own.close()
    await scratch.pool.query(`drop role ${name}`)
  }
})

test('functions of the owner are closed again after a restore without privileges', async () => {
  const drop = `select * from drop_lt_partitions('transactions', 0)`
  await scratch.pool.query('grant execute on all functions in schema public to public')
  await as.analyst.pool.query(`set default_transaction_read_only = off; ${drop}`)
  await grantRoles(scratch.pool, { isOwnServer: true })
  const add = `select create_lt_partition('transactions', 1, 2)`
  for (const role of ['analyst', 'reader'] as const)
    for (const statement of [drop, add])
      await expect(as[role].pool.query(statement)).rejects.toMatchObject({ code: DENIED })
  expect((await as.writer.pool.query(drop)).rows).toEqual([])
})
