import {
  countQuarantine,
  listQuarantined,
  listQuarantineReasons,
  readStatus,
  tableChecksums,
} from '@shardwalk/db'
import { repairQuarantined, verify } from '@shardwalk/indexing'
import { DecodeError } from '@shardwalk/model'
import { silentLogger } from '@shardwalk/observability'
import { findIndexedEnds, findWholeState, listTransactions } from '@shardwalk/queries'
import {
  type ChainOptions,
  type GeneratedStep,
  generatedChain,
  generatedSource,
  type ScratchDatabase,
  scratchDatabase,
} from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { findCurrencies } from './find-currencies.ts'
import { runIngest } from './run-ingest.ts'

const RANGE = { from: 2, to: 8 }
const BAD_SEQNO = 5
/** The greatest that a column holds. */
const MAX_SEQNO = 2 ** 31 - 1
const CHAIN: ChainOptions = { seed: 24, steps: RANGE.to, transactions: isLong ? 12 : 6 }

async function withDatabase(work: (scratch: ScratchDatabase) => Promise<void>): Promise<void> {
  const scratch = await scratchDatabase()
  try {
    await work(scratch)
  } finally {
    await scratch.close()
  }
}

const index = (scratch: ScratchDatabase, steps: readonly GeneratedStep[]) =>
  runIngest({ source: generatedSource(steps), scratch, range: RANGE })

const taskOptions = (scratch: ScratchDatabase, steps: readonly GeneratedStep[]) => ({
  source: generatedSource(steps),
  database: scratch,
  log: silentLogger,
  signal: new AbortController().signal,
  decodeThreads: 1,
})

const transactionsOf = (steps: readonly GeneratedStep[]) =>
  steps
    .filter(({ mcSeqno }) => mcSeqno >= RANGE.from)
    .flatMap(({ masterchain, shards }) => [...shards, masterchain].flatMap((block) => block.transactions))

async function countRows({ db }: ScratchDatabase): Promise<number> {
  const { rows } = await sql<{ n: bigint }>`select count(*) as n from transactions`.execute(db)
  return Number(rows[0]!.n)
}

test('only states with amounts that exceed their column go into quarantine, with their cells', () =>
  withDatabase(async (scratch) => {
    const steps = [...generatedChain({ ...CHAIN, balanceAt: { seqno: BAD_SEQNO, balance: 1n << 80n } })]
    await index(scratch, steps)
    const bad = steps.find(({ mcSeqno }) => mcSeqno === BAD_SEQNO)!
    const states = [...bad.shards, bad.masterchain].flatMap((block) =>
      [...block.states].filter(([, state]) => state.balance === 1n << 80n),
    )
    expect(states.length).toBeGreaterThan(2)
    const kept = await scratch.db.selectFrom('quarantine').selectAll().execute()
    expect(kept.map(({ kind, mc_seqno }) => [kind, mc_seqno])).toEqual(states.map(() => ['state', BAD_SEQNO]))
    const hashes = states.map(([, { cell }]) => cell.hash().toString('hex'))
    expect(kept.map(({ hash }) => hash.toString('hex')).sort()).toEqual(hashes.sort())
    for (const { bytes, error } of kept) {
      expect(bytes!.length).toBeGreaterThan(10)
      expect(error).toMatch(/does not fit/)
    }
    expect(await countRows(scratch)).toBe(transactionsOf(steps).length)
    expect(await readStatus(scratch.db)).toMatchObject({
      ranges: [RANGE],
      quarantined: { blocks: 0, transactions: 0, states: states.length, versions: 0 },
    })
    // All transactions are present.
    expect((await findIndexedEnds(scratch.db))!.first.seqno).toBe(RANGE.from)
  }))

test('a key block that cannot be decoded takes only global versions: blocks and states are complete', () =>
  withDatabase(async (scratch) => {
    const steps = [...generatedChain(CHAIN)]
    const undecodable = () => Promise.reject(new DecodeError('block', 'cannot be decoded'))
    const source = { ...generatedSource(steps), globalVersionAtKeyBlock: undecodable }
    await runIngest({ source, scratch, range: RANGE })
    const versions = RANGE.to - RANGE.from + 1
    const quarantined = { blocks: 0, transactions: 0, states: 0, versions }
    expect(await readStatus(scratch.db)).toMatchObject({ ranges: [RANGE], quarantined })
    expect(await countRows(scratch)).toBe(transactionsOf(steps).length)
    expect((await findIndexedEnds(scratch.db))!.first.seqno).toBe(RANGE.from)
    expect(await countWholeStates(scratch, steps)).toBeGreaterThan(3)
    const options = { ...taskOptions(scratch, steps), source }
    expect(await verify(RANGE, options)).toBe('incomplete')
    await repairQuarantined(taskOptions(scratch, steps))
    expect(await verify(RANGE, options)).toBe('same')
  }))

/** Accounts whose states are known completely. */
async function countWholeStates({ db }: ScratchDatabase, steps: readonly GeneratedStep[]): Promise<number> {
  const { id } = steps.at(-1)!.masterchain.raw
  const accounts = await db.selectFrom('latest_account_states').select('account_id').execute()
  const found = await Promise.all(accounts.map((row) => findWholeState(db, row.account_id, id)))
  return found.filter((state) => state !== undefined).length
}

test('blocks from 2038 on, whose times columns cannot hold, go into quarantine whole, and none is lost', () =>
  withDatabase(async (scratch) => {
    const steps = [...generatedChain({ ...CHAIN, timeAt: { seqno: BAD_SEQNO, utime: 2 ** 31 } })]
    await index(scratch, steps)
    const late = steps.filter(({ mcSeqno }) => mcSeqno >= BAD_SEQNO)
    const blocks = late.flatMap(({ masterchain, shards }) => [...shards, masterchain].map(({ raw }) => raw))
    const kept = await scratch.db.selectFrom('quarantine').selectAll().execute()
    const bytes = new Map(kept.map((row) => [row.root_hash.toString('hex'), row.bytes]))
    expect(kept.map(({ kind }) => kind)).toEqual(blocks.map(() => 'block'))
    for (const { id, bytes: own } of blocks) expect(bytes.get(id.rootHash.toString('hex'))).toEqual(own)
    for (const { error } of kept) expect(error).toMatch(/^block \(.*\): gen_utime 21474836\d\d does not fit/)
    // The head is followed all the same, and what came before is complete.
    expect(await readStatus(scratch.db)).toMatchObject({ ranges: [RANGE] })
    const before = steps.filter(({ mcSeqno }) => mcSeqno < BAD_SEQNO)
    expect(await countRows(scratch)).toBe(transactionsOf(before).length)
  }))

test('blocks whose seqnos columns cannot hold go into quarantine whole, and lists by time pass them', () =>
  withDatabase(async (scratch) => {
    const steps = [...generatedChain({ ...CHAIN, firstShardSeqno: MAX_SEQNO - 4, splits: 0 })]
    await index(scratch, steps)
    const isFar = ({ shards }: GeneratedStep) => shards.some(({ raw }) => raw.id.seqno > MAX_SEQNO)
    const indexed = steps.filter(({ mcSeqno }) => mcSeqno >= RANGE.from)
    const blocks = indexed
      .filter(isFar)
      .flatMap(({ masterchain, shards }) => [...shards, masterchain].map(({ raw }) => raw))
    const kept = await scratch.db.selectFrom('quarantine').selectAll().execute()
    const bytes = new Map(kept.map((row) => [row.root_hash.toString('hex'), row.bytes]))
    expect(kept.length).toBe(blocks.length)
    for (const { id, bytes: own } of blocks) expect(bytes.get(id.rootHash.toString('hex'))).toEqual(own)
    for (const { error } of kept) expect(error).toMatch(/^block \(.*\): seqno 21474836\d\d does not fit/)
    expect(await readStatus(scratch.db)).toMatchObject({ ranges: [RANGE] })
    const near = indexed.filter((step) => !isFar(step))
    expect(await countRows(scratch)).toBe(transactionsOf(near).length)
    // Masterchain blocks whose shard rests at such a seqno are stored.
    const last = near.at(-1)!
    const top = indexed
      .filter(({ mcSeqno }) => mcSeqno <= last.mcSeqno)
      .findLast(({ shards }) => shards.length)
    expect(isFar(top!)).toBe(true)
    const page = { sort: 'asc', limit: 1_000, offset: 0 } as const
    const times = await scratch.db.selectFrom('blocks').select('gen_utime as utime').distinct().execute()
    for (const { utime } of times) {
      const parts = [{ to: utime - 1 }, { from: utime }].map((time) =>
        listTransactions(scratch.db, { time }, page),
      )
      const counts = (await Promise.all(parts)).map(({ rows }) => rows.length)
      expect(counts[0]! + counts[1]!).toBe(transactionsOf(near).length)
    }
  }))

test('what the database refuses goes into quarantine, the rest is written; a repair fixes it', () =>
  withDatabase(async (scratch) => {
    const steps = [...generatedChain(CHAIN)]
    const all = transactionsOf(steps)
    const bad = steps.find(({ mcSeqno }) => mcSeqno === BAD_SEQNO)!
    const victims = [...bad.shards, bad.masterchain].flatMap((block) => block.transactions)
    const [first, second] = [victims[1]!, victims.at(-1)!]
    const refused = { transaction: first.cell.hash(), state: second.stateHashAfter }
    await refuse(scratch, refused)

    await index(scratch, steps)
    await expectKept(scratch, refused)
    expect(await countRows(scratch)).toBe(all.length - 1)
    expect((await findIndexedEnds(scratch.db))!.first.seqno).toBe(BAD_SEQNO + 1)
    expect(await verify(RANGE, taskOptions(scratch, steps))).toBe('incomplete')

    // Without effect: the rows stay in quarantine.
    await repairQuarantined(taskOptions(scratch, steps))
    expect(await countQuarantine(scratch.db)).toEqual({ blocks: 0, transactions: 1, states: 1, versions: 0 })

    await acceptAll(scratch)
    // This version has tried already, another one has not.
    expect(await listQuarantined(scratch.db, { version: 'next' })).toEqual([
      { from: BAD_SEQNO, to: BAD_SEQNO },
    ])
    await repairQuarantined(taskOptions(scratch, steps), { version: 'next' })
    expect(await countQuarantine(scratch.db)).toEqual({ blocks: 0, transactions: 0, states: 0, versions: 0 })
    expect(await verify(RANGE, taskOptions(scratch, steps))).toBe('same')
    await withDatabase(async (fresh) => {
      await index(fresh, steps)
      for (const database of [scratch, fresh]) await findCurrencies(database)
      expect(await tableChecksums(scratch.db)).toEqual(await tableChecksums(fresh.db))
    })
  }))

interface Refused {
  readonly transaction: Buffer
  readonly state: Buffer
}

async function refuse({ db }: ScratchDatabase, { transaction, state }: Refused): Promise<void> {
  const add = (table: string, column: string, hash: Buffer) =>
    sql.raw(
      `alter table ${table} add constraint refused check (${column} <> '\\x${hash.toString('hex')}'::bytea)`,
    )
  await add('transactions', 'hash', transaction).execute(db)
  await add('latest_account_states', 'state_hash', state).execute(db)
}

async function acceptAll({ db }: ScratchDatabase): Promise<void> {
  await sql`alter table transactions drop constraint refused`.execute(db)
  await sql`alter table latest_account_states drop constraint refused`.execute(db)
}

async function expectKept({ db }: ScratchDatabase, { transaction, state }: Refused): Promise<void> {
  const kept = await db
    .selectFrom('quarantine')
    .select(['kind', 'hash', 'mc_seqno', 'bytes', 'error'])
    .orderBy('kind')
    .execute()
  expect(kept.map(({ kind, hash, mc_seqno }) => [kind, hash.toString('hex'), mc_seqno])).toEqual([
    ['state', state.toString('hex'), BAD_SEQNO],
    ['transaction', transaction.toString('hex'), BAD_SEQNO],
  ])
  for (const { error, bytes } of kept) {
    expect(error).toMatch(/refused/)
    expect(bytes).not.toBeNull()
  }
  expect(await listQuarantineReasons(db, 1)).toEqual([
    {
      ...{ kind: 'state', reason: expect.stringMatching(/refused/), count: 1 },
      ...{ first_seqno: BAD_SEQNO, last_seqno: BAD_SEQNO },
    },
  ])
}

test('a unique violation that no other writer causes goes into quarantine as well', () =>
  withDatabase(async (scratch) => {
    const steps = [...generatedChain(CHAIN)]
    const bad = steps.find(({ mcSeqno }) => mcSeqno === BAD_SEQNO)!
    const victim = [...bad.shards, bad.masterchain].flatMap((block) => block.transactions)[0]!
    await sql
      .raw(
        `create function refuse() returns trigger language plpgsql as $$ begin
           raise exception 'there already' using errcode = 'unique_violation';
         end $$`,
      )
      .execute(scratch.db)
    await sql
      .raw(
        `create trigger refuse before insert on transactions for each row
         when (new.hash = '\\x${victim.cell.hash().toString('hex')}'::bytea) execute function refuse()`,
      )
      .execute(scratch.db)
    await index(scratch, steps)
    const kept = await scratch.db.selectFrom('quarantine').select(['kind', 'hash', 'error']).execute()
    expect(kept).toEqual([{ kind: 'transaction', hash: victim.cell.hash(), error: 'there already' }])
    expect(await countRows(scratch)).toBe(transactionsOf(steps).length - 1)
  }))
