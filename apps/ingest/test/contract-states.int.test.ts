import { join } from 'node:path'
import { Builder } from '@shardwalk/cells'
import { type Detected, parseTokenContent } from '@shardwalk/contracts'
import {
  claimContracts,
  classifyWaiting,
  countMissingStates,
  countRefreshQueue,
  countUnclassified,
  type EncodedBatch,
  type Examined,
  type QueuedContract,
  writeContracts,
} from '@shardwalk/db'
import { ACCOUNT_STATUS, type RawAddress } from '@shardwalk/model'
import { BlockNotAvailable } from '@shardwalk/pipeline'
import { FIXTURE_CHAIN_FOLDER, type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import {
  checksumsOfExamined,
  commitGroups,
  endLeases,
  inGroups,
  RecordedNetwork,
  refreshAll,
  sweptChain,
} from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openArchive } from '../src/origin.ts'

let network: RecordedNetwork
let batches: EncodedBatch[]
let whole: ScratchDatabase
let expected: Awaited<ReturnType<typeof checksumsOfExamined>>

beforeAll(async () => {
  network = await RecordedNetwork.open()
  batches = await sweptChain.batches()
  whole = await sweptChain.examined()
  expected = await checksumsOfExamined(whole)
})
afterAll(async () => {
  await whole?.close()
  await network?.close()
})

async function withDatabase(
  work: (scratch: ScratchDatabase) => Promise<void>,
  open = scratchDatabase,
): Promise<void> {
  const scratch = await open()
  try {
    await work(scratch)
  } finally {
    await scratch.close()
  }
}

const count = async ({ db }: ScratchDatabase, table: string): Promise<number> =>
  Number((await sql<{ n: bigint }>`select count(*) as n from ${sql.table(table)}`.execute(db)).rows[0]!.n)

describe('files that start in the middle of the chain', () => {
  const FIRST = isLong ? 250 : 26
  const GROUP = isLong ? 40 : 10

  test(
    'what their blocks have is found, what they do not have is set aside, nothing waits; the rest of the ' +
      'chain completes it',
    () =>
      withDatabase(async (scratch) => {
        const source = await openArchive(join(FIXTURE_CHAIN_FOLDER, 'node-archive'))
        try {
          const refresher = network.refresher(scratch, { states: undefined, source })
          for (const group of inGroups(batches.slice(FIRST - 1), GROUP)) {
            await commitGroups(scratch, [group])
            await refreshAll(refresher)
          }
          expect(await countRefreshQueue(scratch.db)).toEqual({ accounts: 0, batches: 0 })
          const missing = await countMissingStates(scratch.db)
          console.log(`${missing} states missing, ${refresher.totals.examined} contracts examined`)
          expect(missing).toBeGreaterThan(10)
          expect(refresher.totals.examined).toBeGreaterThan(30)
          expect(refresher.totals.fetched).toBe(0)
          // Their traces are classified with the available facts.
          while ((await classifyWaiting(scratch.pool)).traces > 0);
          expect(await countUnclassified(scratch.pool)).toBe(0)
          // The configuration contract changes with every block; its known parts are one row.
          expect(await count(scratch, 'state_parts')).toBeLessThanOrEqual(missing)
          await commitGroups(scratch, inGroups(batches.slice(0, FIRST - 1).reverse(), GROUP * 1.5))
          await refreshAll(refresher)
          await refresher.close()
          expect(await countMissingStates(scratch.db)).toBe(0)
          expect(await count(scratch, 'state_parts')).toBe(0)
          expect(await checksumsOfExamined(scratch)).toEqual(expected)
        } finally {
          await source.close()
        }
      }),
    240_000,
  )

  test('without a configuration contracts are set aside', () =>
    withDatabase(async (scratch) => {
      const nothing = () => Promise.reject(new BlockNotAvailable('block', 'test'))
      const source = {
        zerostateId: () => network.source.zerostateId(),
        masterchainBlockId: nothing,
        getBlock: nothing,
        getZerostate: async () => undefined,
      }
      await commitGroups(scratch, [isLong ? batches.slice(300, 320) : batches.slice(80, 100)])
      const refresher = network.refresher(scratch, { states: undefined, source })
      await refreshAll(refresher)
      await refresher.close()
      expect(await countRefreshQueue(scratch.db)).toEqual({ accounts: 0, batches: 0 })
      expect(await countMissingStates(scratch.db)).toBeGreaterThan(0)
    }))
})

test('how often ended accounts were examined between their states changes nothing', async () => {
  const { rows } = await sql<{ seqnos: number[] }>`
    select array_agg(distinct t.mc_block_seqno) as seqnos from contracts c
    join transactions t using (account_id) where c.code_hash is null`.execute(whole.db)
  const seqnos = new Set(rows[0]!.seqnos)
  expect(seqnos.size).toBeGreaterThan(4)
  // A new group begins after each block with a transaction of such an account.
  const pieces: EncodedBatch[][] = [[]]
  for (const batch of batches) {
    pieces.at(-1)!.push(batch)
    if (seqnos.has(batch.mcBlockSeqno)) pieces.push([])
  }
  const groups = pieces.filter(({ length }) => length > 0)
  await withDatabase(async (scratch) => {
    const refresher = network.refresher(scratch)
    await commitGroups(scratch, groups, () => refreshAll(refresher))
    await refresher.close()
    // Those of the other one were examined once, after the last block.
    expect(await checksumsOfExamined(scratch)).toEqual(expected)
  })
})

test('connections that the database closes during examination cost only time', () =>
  withDatabase(async (scratch) => {
    const refresher = network.refresher(scratch)
    let failed = 0
    // Often, not all the time, which would keep a core busy.
    const end = 'select pg_terminate_backend(pid), pg_sleep(0.005) from pg_stat_activity where datname = $1'
    const database = new URL(scratch.url).pathname.slice(1)
    for (let kill = 0; kill < 12; kill += isLong ? 1 : 2) {
      // Accounts claimed in a failed round can be examined again once the pool has noticed the lost
      // connection.
      await vi.waitFor(() => endLeases(scratch), { timeout: 20_000 })
      let isOver = false
      const round = refresher
        .round()
        .catch(() => failed++)
        .finally(() => {
          isOver = true
        })
      // Each time a little later in the round, up to its end.
      for (let step = 0; step < kill; step++) await whole.pool.query('select pg_sleep(0.02)')
      while (!isOver) await whole.pool.query(end, [database])
      await round
    }
    expect(failed).toBeGreaterThan(isLong ? 3 : 1)
    await vi.waitFor(() => endLeases(scratch), { timeout: 20_000 })
    await refreshAll(refresher)
    await refresher.close()
    expect(await checksumsOfExamined(scratch)).toEqual(expected)
  }, sweptChain.indexed))

describe('contracts that depend on others', () => {
  const at = (byte: number): RawAddress => ({ workchain: 0, hash: Buffer.alloc(32, byte) })
  const [WALLET, MASTER] = [at(0x21), at(0x42)]
  const idOf = ({ hash }: RawAddress) => hash.readBigUInt64BE(0) >> 1n
  const CONTENT = new Builder().storeUint(1, 8).storeBytes(Buffer.from('https://a.test/1.json')).endCell()
  const code = (byte: number) => Buffer.alloc(32, byte)

  /** Writes an account as a block would. */
  async function touch(
    { pool }: ScratchDatabase,
    address: RawAddress,
    lt: bigint,
    status = 'active',
  ): Promise<void> {
    await pool.query(
      "insert into accounts (id, workchain, address, activity) values ($1, 0, $2, '') on conflict do nothing",
      [idOf(address), address.hash],
    )
    await pool.query(
      `insert into latest_account_states (account_id, lt, balance, mc_seqno, timestamp, status, state_hash,
        last_trans_hash)
       values ($1, $2, 0, 1, 1, $3, '', '') on conflict (account_id) do update
         set lt = excluded.lt, status = excluded.status`,
      [idOf(address), lt, ACCOUNT_STATUS.indexOf(status as 'active')],
    )
    await pool.query(
      `insert into refresh_queue (account_id, lt) values ($1, $2) on conflict (account_id) do update
        set lt = excluded.lt`,
      [idOf(address), lt],
    )
  }

  /** Of the master when accounts were claimed last, which is when examinations read it. */
  let confirmationHash: string | null = null

  async function claim({ db }: ScratchDatabase): Promise<Map<bigint, QueuedContract>> {
    await sql`update refresh_queue set leased_until = null`.execute(db)
    const { rows } = await sql<{ confirmation_hash: string }>`
      select confirmation_hash from contracts where account_id = ${idOf(MASTER)}`.execute(db)
    confirmationHash = rows[0]?.confirmation_hash ?? null
    const queued = await claimContracts(db, { limit: 10, leaseSeconds: 60 })
    return new Map(queued.map((one) => [one.accountId, one]))
  }

  const examined = (
    one: QueuedContract | undefined,
    { found, codeByte, sawMaster }: { found: readonly Detected[]; codeByte?: number; sawMaster?: bigint },
  ): Examined => ({
    accountId: one!.accountId,
    address: one!.address,
    queuedLt: one!.queuedLt,
    requeues: one!.requeues,
    lt: one!.lt,
    codeHash: codeByte === undefined ? null : code(codeByte),
    dataHash: null,
    found,
    asked: sawMaster === undefined ? [] : [{ address: MASTER, lt: sawMaster, confirmationHash }],
  })
  const wallet: Detected = {
    kind: 'jetton_wallet',
    balance: 1n,
    owner: at(3),
    jetton: MASTER,
    isClaimed: undefined,
  }
  const master = (walletCode: number, totalSupply = 1n): Detected => ({
    kind: 'jetton_master',
    totalSupply,
    mintable: true,
    admin: undefined,
    content: parseTokenContent(CONTENT)!,
    walletCodeHash: code(walletCode),
    airdropRoot: undefined,
  })
  const isQueued = async ({ db }: ScratchDatabase, address: RawAddress): Promise<boolean> =>
    (await sql`select from refresh_queue where account_id = ${idOf(address)}`.execute(db)).rows.length > 0

  test('a wallet is examined again when its master appears or changes, but not when it mints', () =>
    withDatabase(async (scratch) => {
      const write = (...all: Examined[]) => writeContracts(scratch.pool, all)
      await touch(scratch, WALLET, 5n)
      await write(
        examined((await claim(scratch)).get(idOf(WALLET)), { found: [], codeByte: 1, sawMaster: 0n }),
      )
      expect(await isQueued(scratch, WALLET)).toBe(false)

      await touch(scratch, MASTER, 7n)
      await write(examined((await claim(scratch)).get(idOf(MASTER)), { found: [master(8)], codeByte: 2 }))
      expect([await isQueued(scratch, WALLET), await isQueued(scratch, MASTER)]).toEqual([true, false])
      await write(
        examined((await claim(scratch)).get(idOf(WALLET)), { found: [wallet], codeByte: 1, sawMaster: 7n }),
      )
      expect(await isQueued(scratch, WALLET)).toBe(false)

      await touch(scratch, MASTER, 9n)
      await write(examined((await claim(scratch)).get(idOf(MASTER)), { found: [master(8, 2n)], codeByte: 2 }))
      expect(await isQueued(scratch, WALLET)).toBe(false)

      await touch(scratch, MASTER, 11n)
      await write(examined((await claim(scratch)).get(idOf(MASTER)), { found: [master(9)], codeByte: 2 }))
      expect(await isQueued(scratch, WALLET)).toBe(true)
    }))

  test('a wallet whose master changed during its examination is queued again, whoever writes first', () =>
    withDatabase(async (scratch) => {
      await touch(scratch, WALLET, 5n)
      await touch(scratch, MASTER, 7n)
      const taken = await claim(scratch)
      // The examination saw the master's state of lt 6, while another process examined that of lt 7.
      await writeContracts(scratch.pool, [
        examined(taken.get(idOf(MASTER)), { found: [master(8)], codeByte: 2 }),
      ])
      await writeContracts(scratch.pool, [
        examined(taken.get(idOf(WALLET)), { found: [], codeByte: 1, sawMaster: 6n }),
      ])
      expect(await isQueued(scratch, WALLET)).toBe(true)
      const again = (await claim(scratch)).get(idOf(WALLET))
      await writeContracts(scratch.pool, [examined(again, { found: [wallet], codeByte: 1, sawMaster: 7n })])
      expect(await isQueued(scratch, WALLET)).toBe(false)
    }))

  test('events of a deleted wallet belong to its jetton; those of a former wallet are unlisted', () =>
    withDatabase(async (scratch) => {
      const event = `insert into jetton_transfers (account_id, lt, source_id, amount, forward_amount, now,
        aborted, query_id)
                     values ($1, 4, 1, 1, 1, 1, false, 0)`
      await touch(scratch, WALLET, 5n)
      await scratch.pool.query(event, [idOf(WALLET)])
      const confirmed = async () =>
        (
          await scratch.pool.query<{ confirmed: boolean; jetton_id: bigint | null }>(
            'select * from jetton_transfers',
          )
        ).rows[0]!
      const write = async (result: Partial<Examined> & { codeByte?: number; found: readonly Detected[] }) => {
        const one = (await claim(scratch)).get(idOf(WALLET))
        await writeContracts(scratch.pool, [
          { ...examined(one, result), ...(result.former && { former: result.former }) },
        ])
      }
      await write({ found: [wallet], codeByte: 1 })
      expect(await count(scratch, 'changed_facts')).toBe(1)
      await scratch.pool.query('delete from changed_facts')
      expect(await confirmed()).toMatchObject({ confirmed: true, jetton_id: idOf(MASTER) })
      await touch(scratch, WALLET, 6n, 'nonexist')
      await write({ found: [], former: { lt: 5n, codeHash: code(1), dataHash: null, found: [wallet] } })
      expect(await count(scratch, 'jetton_wallets')).toBe(0)
      expect(await confirmed()).toMatchObject({ confirmed: true, jetton_id: idOf(MASTER) })
      // Facts that its traces use did not change.
      expect(await count(scratch, 'changed_facts')).toBe(0)
      await touch(scratch, WALLET, 8n)
      await write({ found: [], codeByte: 3 })
      expect(await confirmed()).toMatchObject({ confirmed: false, jetton_id: null })
      expect(await count(scratch, 'changed_facts')).toBe(1)
    }))
})
