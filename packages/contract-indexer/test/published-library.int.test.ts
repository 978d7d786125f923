import { Builder, CELL, Cell, serializeBoc } from '@shardwalk/cells'
import type { AccountId } from '@shardwalk/model'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { examinedChain, RecordedNetwork, refreshAll } from '@shardwalk/testkit/refresh-chain'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { StateSource } from '../src/state-source.ts'

let network: RecordedNetwork
let scratch: ScratchDatabase

beforeAll(async () => {
  network = await RecordedNetwork.open()
  scratch = await examinedChain()
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  await scratch.close()
  await network.close()
})

const libraryCell = (hash: Buffer): Cell => {
  const { data, bits } = new Builder().storeUint(2, 8).storeBytes(hash).endCell()
  return Cell.unchecked(CELL.library, data, bits, [])
}

/** A jetton master of the sample, whose code is now a library cell. */
async function makeLibraryContract() {
  const { rows } = await sql<{ id: AccountId; hash: Buffer; boc: Buffer }>`
    select account_id as id, s.code_hash as hash, c.boc from jetton_masters
    join latest_account_states s using (account_id) join codes c on c.code_hash = s.code_hash
    limit 1`.execute(scratch.db)
  const { id, hash, boc } = rows[0]!
  const reference = libraryCell(hash)
  const codeHash = reference.hash()
  await sql`insert into codes (code_hash, boc) values (${codeHash}, ${serializeBoc(reference)})`.execute(
    scratch.db,
  )
  await sql`update latest_account_states set code_hash = ${codeHash}, lt = lt + 1
    where account_id = ${id}`.execute(scratch.db)
  await sql`update contract_data set lt = lt + 1 where account_id = ${id}`.execute(scratch.db)
  await sql`insert into refresh_queue (account_id, lt)
    select account_id, lt from latest_account_states where account_id = ${id}`.execute(scratch.db)
  return { hash, boc, codeHash }
}

/** Lite servers that know a library once it is published. */
function servers(library: { readonly hash: Buffer; readonly boc: Buffer }) {
  const asked: string[] = []
  const published = new Map<string, Buffer>()
  const states: StateSource = {
    account: async () => undefined,
    async libraries(hashes) {
      const keys = hashes.map((hash) => hash.toString('hex'))
      asked.push(...keys)
      return new Map([...published].filter(([key]) => keys.includes(key)))
    },
  }
  return { states, asked, publish: () => published.set(library.hash.toString('hex'), library.boc) }
}

async function reasons(): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`select distinct what from missing_states`.execute(scratch.db)
  return rows.map(({ what }) => what)
}

test('a contract is examined again as soon as lite servers have the library that it waits for', async () => {
  const contract = await makeLibraryContract()
  const { states, asked, publish } = servers(contract)
  const refresher = network.refresher(scratch, { states })
  let now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const later = async (seconds: number) => {
    now += seconds * 1000
    await refreshAll(refresher)
  }
  const methods = async () => {
    const { rows } = await sql`select from contract_methods where code_hash = ${contract.codeHash}`.execute(
      scratch.db,
    )
    return rows.length
  }
  const hash = contract.hash.toString('hex')
  await later(0)
  expect([await methods(), await reasons()]).toEqual([0, [`library ${hash}`]])
  await later(31)
  expect([await methods(), await reasons()]).toEqual([0, [`library ${hash}`]])
  // Not with every round.
  await later(1)
  expect(asked).toEqual([hash, hash])
  publish()
  await later(31)
  expect([await methods(), await reasons()]).toEqual([1, []])
  await refresher.close()
})

test('however many libraries contracts wait for, lite servers are asked about a few at a time', async () => {
  await sql`
    with libraries as (select n, sha256(n::text::bytea) as hash from generate_series(1, 600) n),
    stored as (insert into codes (code_hash, boc) select hash, '' from libraries)
    insert into missing_states (account_id, lt, what)
    select n, 1, 'library ' || encode(hash, 'hex') from libraries`.execute(scratch.db)
  const { states, asked } = servers({ hash: Buffer.alloc(32), boc: Buffer.alloc(0) })
  const refresher = network.refresher(scratch, { states })
  let now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const counts: number[] = []
  for (let look = 0; look < 4; look++) {
    const before = asked.length
    await refreshAll(refresher)
    counts.push(asked.length - before)
    now += 31_000
  }
  expect(counts).toEqual([256, 256, 88, 256])
  expect(new Set(asked).size).toBe(600)
  await refresher.close()
})
