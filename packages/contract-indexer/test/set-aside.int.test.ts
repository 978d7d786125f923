import { type SetAside, setAsideContracts } from '@shardwalk/db'
import type { AccountId, Lt } from '@shardwalk/model'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { examinedChain } from '@shardwalk/testkit/refresh-chain'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'

let scratch: ScratchDatabase
let waiting: SetAside

beforeAll(async () => {
  scratch = await examinedChain()
  const { rows } = await sql<{ id: AccountId; lt: Lt; workchain: number; hash: Buffer }>`
    select k.account_id as id, s.lt, a.workchain, a.address as hash
    from contracts k join latest_account_states s using (account_id) join accounts a on a.id = k.account_id
    order by k.account_id limit 2`.execute(scratch.db)
  const [one, other] = rows as [(typeof rows)[number], (typeof rows)[number]]
  const { workchain, hash } = other
  const named = { workchain, hash } as NonNullable<SetAside['named']>
  waiting = { accountId: one.id, queuedLt: one.lt, requeues: 0, attempts: 1, what: 'state of another', named }
})
afterAll(() => scratch.close())

const queue = () =>
  sql`insert into refresh_queue (account_id, lt) values (${waiting.accountId}, ${waiting.queuedLt})
    on conflict do nothing`.execute(scratch.db)
const idsIn = async (table: 'refresh_queue' | 'missing_states') =>
  (
    await sql<{ account_id: AccountId }>`select account_id from ${sql.table(table)}`.execute(scratch.db)
  ).rows.map((row) => row.account_id)

test('a contract stays in the queue if the one it waits for was examined meanwhile', async () => {
  await queue()
  await setAsideContracts(scratch.pool, [waiting])
  expect(await idsIn('refresh_queue')).toEqual([waiting.accountId])
  expect(await idsIn('missing_states')).toEqual([])
})

test('it is set aside if the examined state does not help after several attempts', async () => {
  await queue()
  await setAsideContracts(scratch.pool, [{ ...waiting, attempts: 12 }])
  expect(await idsIn('refresh_queue')).toEqual([])
  expect(await idsIn('missing_states')).toEqual([waiting.accountId])
})

test('it stays in the queue if the one it waits for has no role, and hence no row', async () => {
  await sql`delete from missing_states`.execute(scratch.db)
  await queue()
  const { rows } = await sql<{ workchain: number; hash: Buffer }>`
    select a.workchain, a.address as hash from latest_account_states s join accounts a on a.id = s.account_id
    where not exists (select from contracts k where k.account_id = s.account_id) limit 1`.execute(scratch.db)
  const named = rows[0] as NonNullable<SetAside['named']>
  await setAsideContracts(scratch.pool, [{ ...waiting, named }])
  expect(await idsIn('refresh_queue')).toEqual([waiting.accountId])
  expect(await idsIn('missing_states')).toEqual([])
})
