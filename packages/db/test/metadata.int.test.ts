import { deriveAccountId, type RawAddress } from '@shardwalk/model'
import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  announceFetcher,
  claimMetadata,
  failMetadata,
  finishAirdrop,
  importOverrides,
  type MetadataTask,
  prolongMetadata,
  putOffMetadata,
  requestMetadata,
  saveMetadata,
  sweepMetadata,
} from '../src/index.ts'

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
})
afterAll(() => scratch.close())

const address = (n: number): RawAddress => ({ workchain: 0, hash: Buffer.alloc(32, n) })
const id = (n: number) => deriveAccountId(address(n))
const query = async (text: string, values: unknown[] = []) => (await scratch.pool.query(text, values)).rows

async function addJetton(n: number, content: object | null): Promise<void> {
  await query(
    "insert into accounts (id, workchain, address, activity) values ($1, 0, $2, '') on conflict do nothing",
    [id(n), address(n).hash],
  )
  await query(
    `insert into jetton_masters (account_id, lt, mintable, total_supply, content, wallet_code_hash)
      values ($1, 1, true, 1, $2, '')
     on conflict (account_id) do update set content = excluded.content`,
    [id(n), content],
  )
}

beforeEach(async () => {
  await query(
    `truncate jetton_masters, address_metadata, metadata_queue, metadata_fetcher, metadata_overrides,
      accounts`,
  )
  for (const n of [1, 2, 3]) await addJetton(n, { uri: `https://example.org/${n}.json` })
})

const sweep = (limit = 100) => sweepMetadata(scratch.db, { type: 'jetton_masters', after: null, limit })
const claim = (limit = 100, leaseSeconds = 300) => claimMetadata(scratch.db, { limit, leaseSeconds })
const first = ([task]: readonly MetadataTask[]): MetadataTask => {
  if (!task) throw new Error('no task')
  return task
}
const stored = async () =>
  await query('select account_id, valid, name, extra from address_metadata order by account_id')
const record = (name: string) => ({ name, extra: { decimals: '6' } })

test('a sweep queues each token once, page by page, except those already fetched', async () => {
  const page = await sweepMetadata(scratch.db, { type: 'jetton_masters', after: null, limit: 2 })
  expect(page).toEqual({ next: id(2), queued: 2 })
  expect(await sweepMetadata(scratch.db, { type: 'jetton_masters', after: page.next, limit: 2 })).toEqual({
    next: null,
    queued: 1,
  })
  expect((await sweep()).queued).toBe(0)
  const tasks = await claim()
  expect(tasks.map((task) => [task.accountId, task.type, task.attempts])).toEqual(
    [1, 2, 3].map((n) => [id(n), 'jetton_masters', 1]),
  )
  for (const task of tasks) await saveMetadata(scratch.db, task, { record: record('x'), lifetimeSeconds: 60 })
  expect((await sweep()).queued).toBe(0)
  expect(await query('select 1 from metadata_queue')).toEqual([])
})

test('two processes never hold the same task, and the task of one that died becomes due again', async () => {
  await sweep()
  const [a, b] = await Promise.all([claim(2), claim(2)])
  expect(new Set([...a, ...b].map((task) => task.accountId)).size).toBe(a.length + b.length)
  await query("update metadata_queue set due_at = now() - interval '1 second'")
  expect((await claim()).map((task) => task.attempts)).toEqual(expect.arrayContaining([2]))
})

test('a lease is prolonged but for one that ended, was taken over or is longer', async () => {
  await sweep()
  const tasks = await claim()
  const [ended, taken, longer] = tasks.map((task) => task.accountId)
  await query(`update metadata_queue set due_at = now() - interval '1 s' where account_id = $1`, [ended])
  await query(`update metadata_queue set attempts = attempts + 1 where account_id = $1`, [taken])
  await query(`update metadata_queue set due_at = now() + interval '1 hour' where account_id = $1`, [longer])
  const before = await query('select * from metadata_queue order by account_id')
  for (const task of tasks) await prolongMetadata(scratch.db, task, 600)
  expect(await query('select * from metadata_queue order by account_id')).toEqual(before)

  await query(`update metadata_queue set due_at = now() + interval '1 s'`)
  for (const task of tasks) await prolongMetadata(scratch.db, task, 600)
  const prolonged = await query(
    `select account_id from metadata_queue where due_at > now() + interval '5 min'`,
  )
  expect(prolonged.map((row) => row.account_id).sort()).toEqual([ended, longer].sort())
})

test('content that changes during a fetch is fetched again at once', async () => {
  await sweep()
  const task = first(await claim(1))
  await addJetton(1, { uri: 'https://example.org/new.json' })
  expect((await sweep()).queued).toBe(1)
  await saveMetadata(scratch.db, task, { record: record('old'), lifetimeSeconds: 60 })
  const again = (await claim()).find((one) => one.accountId === id(1))
  expect(again?.content).toEqual({ uri: 'https://example.org/new.json' })
})

test('the last valid values survive a failure, but not a change of content', async () => {
  await sweep()
  const task = first(await claim(1))
  await saveMetadata(scratch.db, task, { record: record('good'), lifetimeSeconds: 60 })
  await failMetadata(scratch.db, task, { fallback: undefined, againSeconds: 60 })
  expect(await stored()).toMatchObject([{ valid: true, name: 'good' }])
  await addJetton(1, { symbol: 'NEW' })
  await sweep()
  const changed = (await claim()).find((one) => one.accountId === id(1)) as MetadataTask
  await failMetadata(scratch.db, changed, { fallback: undefined, againSeconds: 60 })
  expect(await stored()).toMatchObject([{ valid: false, name: null, extra: null }])
})

test('a delayed task is not due, and a rejected one does not count as an attempt', async () => {
  await sweep()
  const task = first(await claim(1))
  await putOffMetadata(scratch.db, task, { delaySeconds: 60, fault: 'busy', isAttempt: false })
  expect((await claim()).map((one) => one.accountId)).not.toContain(task.accountId)
  expect(
    await query('select attempts, fault from metadata_queue where account_id = $1', [task.accountId]),
  ).toEqual([{ attempts: 0, fault: 'busy' }])
})

test('tokens requested by readers come first, and are not queued while no fetcher runs', async () => {
  await requestMetadata(scratch.db, [{ accountId: id(3), type: 'jetton_masters' }])
  expect(await claim()).toEqual([])
  await announceFetcher(scratch.db)
  await sweep()
  await requestMetadata(scratch.db, [
    { accountId: id(3), type: 'jetton_masters' },
    { accountId: id(9), type: 'nft_items' },
  ])
  // The ninth is not a token and leaves the queue.
  expect((await claim(2)).map((task) => task.accountId)).toEqual([id(3)])
  expect((await query('select 1 from metadata_queue')).length).toBe(3)
})

test('a token that waits for its host is due once a reader asks for it, one in progress is not', async () => {
  await announceFetcher(scratch.db)
  await sweep()
  const [waiting, fetched] = await claim()
  await putOffMetadata(scratch.db, waiting!, { delaySeconds: 3_600, fault: 'busy', isAttempt: false })
  await putOffMetadata(scratch.db, fetched!, { delaySeconds: 0, fault: 'busy', isAttempt: false })
  await query('update metadata_queue set due_at = now() where account_id = $1', [fetched!.accountId])
  expect((await claim(1)).map((task) => task.accountId)).toEqual([fetched!.accountId])
  await requestMetadata(
    scratch.db,
    [waiting!, fetched!].map(({ accountId }) => ({ accountId, type: 'jetton_masters' })),
  )
  const asked = (await claim()).filter(({ isAsked }) => isAsked)
  expect(asked.map((task) => task.accountId)).toEqual([waiting!.accountId])
})

test('an override replaces on-chain content, and changing it queues the token', async () => {
  const override = { address: address(2), type: 'jetton_masters', content: { symbol: 'MINE' } } as const
  const stranger = { ...override, address: address(99) }
  expect(await importOverrides(scratch.db, [override, stranger], 'test')).toEqual({ changed: 1, unknown: 1 })
  expect(first(await claim()).content).toEqual({ symbol: 'MINE' })
  expect((await importOverrides(scratch.db, [override], 'test')).changed).toBe(0)
  const other = { ...override, content: { symbol: 'OTHER' } }
  expect((await importOverrides(scratch.db, [other], 'test')).changed).toBe(1)
})

test('the end of an import deletes entries of earlier lists among those of others', async () => {
  const root = Buffer.alloc(32)
  await query('insert into mintless_jettons (jetton_id, import_no, attempts, due_at) values (1, 2, 1, now())')
  // One in five thousand is of the jetton, every other one of these of its earlier list.
  await query(`
    insert into mintless_claims (jetton_id, owner_id, wallet_id, amount, import_no)
    select case when i % 5000 = 0 then 1 else 2 end, i, i, 1, case when i % 10000 = 0 then 1 else 2 end
    from generate_series(-25000, 25000) i`)
  await query(`
    insert into jetton_wallets (account_id, lt, owner_id, jetton_id, balance, code_hash)
    select wallet_id, 0, owner_id, jetton_id, 0, case when wallet_id < 0 then '\\x01'::bytea end
    from mintless_claims where jetton_id = 1`)
  const left = async () => (await query('select wallet_id from mintless_claims where jetton_id = 1')).length
  await finishAirdrop(scratch.pool, { jettonId: 1n, importNo: 2, attempts: 9, root })
  expect(await left()).toBe(11)
  await finishAirdrop(scratch.pool, { jettonId: 1n, importNo: 2, attempts: 1, root })
  expect(await query('select import_no from mintless_claims where jetton_id = 1 and import_no = 1')).toEqual(
    [],
  )
  expect(await left()).toBe(6)
  expect(await query('select from mintless_claims where jetton_id = 2')).toHaveLength(49_990)
  // Those that were never deployed are gone with them.
  expect(await query('select account_id from jetton_wallets where account_id in (0, 10000, -10000)')).toEqual(
    [{ account_id: -10000n }],
  )
  expect(await query('select imported_at is not null as done, due_at from mintless_jettons')).toEqual([
    { done: true, due_at: null },
  ])
})

test('what was stored or seen while the clock of the database was years ahead counts no more', async () => {
  await sweep()
  const [fetched, failed, current] = await claim()
  await saveMetadata(scratch.db, fetched!, { record: record('x'), lifetimeSeconds: 60 })
  await failMetadata(scratch.db, failed!, { fallback: undefined, againSeconds: 60 })
  await saveMetadata(scratch.db, current!, { record: record('y'), lifetimeSeconds: 16 * 86_400 })
  await query(
    `update address_metadata set expires_at = expires_at + interval '10 years' where account_id <> $1`,
    [current!.accountId],
  )
  expect((await sweep()).queued).toBe(2)
  const due = (await claim()).map(({ accountId }) => accountId)
  expect(due).toEqual(expect.arrayContaining([fetched!.accountId, failed!.accountId]))
  await query(`insert into metadata_fetcher (id, seen_at) values (1, now() + interval '10 years')`)
  const wanted = [{ accountId: current!.accountId, type: 'jetton_masters' } as const]
  const queued = () => query('select 1 from metadata_queue where account_id = $1', [current!.accountId])
  await requestMetadata(scratch.db, wanted)
  expect(await queued()).toEqual([])
  await announceFetcher(scratch.db)
  await requestMetadata(scratch.db, wanted)
  expect(await queued()).toHaveLength(1)
})
