import { createMerkleUpdate, serializeBoc } from '@shardwalk/cells'
import { BatchSink, countHiddenCurrencies, type EncodedBatch, encodeBatch } from '@shardwalk/db'
import type { AccountStateAfter, DecodedTransaction, ExtraCurrencies, RawAddress } from '@shardwalk/model'
import { createLogger } from '@shardwalk/observability'
import { type ScratchDatabase, scratchDatabase, syntheticChain } from '@shardwalk/testkit'
import { buildExtraCurrencies } from '@shardwalk/tlb'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { HiddenCurrencyFinder, type StateSource } from '../src/index.ts'

const log = createLogger({ level: 'error' })

/** Extra currencies after each state, by `account lt`. */
const truth = new Map<string, ExtraCurrencies>()
const nameOf = ({ hash }: RawAddress, lt: bigint) => `${hash.toString('hex')} ${lt}`

/** The state as its block contains it: unchanged cells of the dictionary before are pruned. */
function hiding(
  state: AccountStateAfter,
  before: ExtraCurrencies,
  after: ExtraCurrencies,
): AccountStateAfter {
  const root = buildExtraCurrencies(after)!
  const shown = createMerkleUpdate(buildExtraCurrencies(before)!, root).refs[1]!
  const part = shown.type === 0 ? { extraCurrenciesPart: serializeBoc(shown) } : {}
  return { ...state, extraCurrencies: undefined, extraCurrenciesHash: root.hash(), ...part }
}

/** A chain whose accounts hold three currencies each; every third state changes one of them. */
function chainWithCurrencies(): EncodedBatch[] {
  const held = new Map<string, { currencies: ExtraCurrencies; states: number }>()
  const change = (tx: DecodedTransaction): DecodedTransaction => {
    if (!tx.stateAfter) return tx
    const key = tx.account.hash.toString('hex')
    const known = held.get(key)
    const states = (known?.states ?? 0) + 1
    const before = known?.currencies ?? new Map([1, 2, 3].map((id) => [id, BigInt(key.charCodeAt(id))]))
    const currencies = states % 3 === 0 ? new Map(before).set(2, tx.lt) : before
    held.set(key, { currencies, states })
    truth.set(nameOf(tx.account, tx.lt), currencies)
    const stateAfter = known
      ? hiding(tx.stateAfter, before, currencies)
      : { ...tx.stateAfter, extraCurrencies: currencies }
    return { ...tx, stateAfter }
  }
  return syntheticChain({ seed: 5, batches: 24 }).map(({ batch, globalVersion }) => {
    const [shard, masterchain] = [...batch.shards, batch.masterchain].map((block) => ({
      ...block,
      transactions: block.transactions.map(change),
    }))
    return encodeBatch({ ...batch, masterchain: masterchain!, shards: [shard!] }, { globalVersion })
  })
}

const batches = chainWithCurrencies()

/** What is stored, by the names of `truth`; a string where only the hash is known. */
async function stored({ db }: ScratchDatabase): Promise<Map<string, unknown>> {
  const { rows } = await sql<{ address: Buffer; lt: bigint; currencies: unknown; latest: unknown }>`
    select a.address, t.lt, t.extra_currencies_after as currencies,
      coalesce(l.extra_currencies, t.extra_currencies_after) as latest
    from transactions t join accounts a on a.id = t.account_id
    left join latest_account_states l on l.account_id = t.account_id and l.lt = t.lt
    where t.balance_after is not null`.execute(db)
  for (const row of rows) expect(row.latest).toEqual(row.currencies)
  return new Map(
    rows.map(({ address, lt, currencies }) => [nameOf({ workchain: 0, hash: address }, lt), currencies]),
  )
}

const asJson = (currencies: ExtraCurrencies) =>
  Object.fromEntries([...currencies].map(([id, amount]) => [String(id), String(amount)]))

async function withDatabase(
  work: (scratch: ScratchDatabase, sink: BatchSink) => Promise<void>,
): Promise<void> {
  const scratch = await scratchDatabase()
  try {
    await work(scratch, new BatchSink(scratch.pool))
  } finally {
    await scratch.close()
  }
}

/** Not looked at. */
const HASHES = { stateHash: Buffer.alloc(32), lastTransHash: Buffer.alloc(32) }

async function findAll(database: ScratchDatabase, states?: StateSource): Promise<HiddenCurrencyFinder> {
  const finder = new HiddenCurrencyFinder({ database, states, log })
  await sql`update hidden_currencies set not_before = null`.execute(database.db)
  while (await finder.round());
  return finder
}

test.each([
  ['one block after the other', (list: EncodedBatch[]) => list.map((batch) => [batch])],
  ['several blocks at a time', (list: EncodedBatch[]) => [list.slice(0, 9), list.slice(9)]],
  ['the newest block first', (list: EncodedBatch[]) => [...list].reverse().map((batch) => [batch])],
])('hidden currencies are found in other states of the account: %s', (_, grouped) =>
  withDatabase(async (scratch, sink) => {
    for (const group of grouped(batches)) {
      await sink.commitBatches(group)
      await findAll(scratch)
    }
    expect(await countHiddenCurrencies(scratch.db)).toBe(0)
    for (const [name, currencies] of await stored(scratch))
      expect(currencies).toEqual(asJson(truth.get(name)!))
    expect(truth.size).toBeGreaterThan(50)
  }),
)

test('currencies that no block contains keep their hash until a lite server provides them', () =>
  withDatabase(async (scratch, sink) => {
    await sink.commitBatches(batches.slice(12))
    await findAll(scratch)
    const open = await countHiddenCurrencies(scratch.db)
    expect(open).toBeGreaterThan(10)
    const texts = [...(await stored(scratch)).values()].filter((value) => typeof value === 'string')
    expect(texts).toHaveLength(open)
    const asked: number[] = []
    const states: StateSource = {
      async account({ hash }, at) {
        asked.push(at!.seqno)
        const { rows } = await sql<{ lt: bigint }>`
          select max(t.lt) as lt from transactions t join accounts a on a.id = t.account_id
          where a.address = ${hash} and t.mc_block_seqno <= ${at!.seqno}`.execute(scratch.db)
        const lt = rows[0]!.lt
        const extraCurrencies = truth.get(nameOf({ workchain: 0, hash }, lt))!
        return { lt, state: { status: 'active', balance: 0n, extraCurrencies }, ...HASHES }
      },
      libraries: async () => new Map(),
    }
    await findAll(scratch, states)
    expect(await countHiddenCurrencies(scratch.db)).toBe(0)
    // One answer serves all states of the account that follow.
    expect(asked.length).toBeLessThan(open)
    for (const [name, currencies] of await stored(scratch))
      expect(currencies).toEqual(asJson(truth.get(name)!))
  }))

test('a state with other currencies is not mistaken for the one sought', () =>
  withDatabase(async (scratch, sink) => {
    await sink.commitBatches(batches.slice(20))
    await findAll(scratch)
    const open = await countHiddenCurrencies(scratch.db)
    const wrong: StateSource = {
      account: async () => ({
        lt: 1n,
        state: { status: 'active', balance: 0n, extraCurrencies: new Map([[1, 1n]]) },
        ...HASHES,
      }),
      libraries: async () => new Map(),
    }
    const finder = await findAll(scratch, wrong)
    expect(finder.totals.fetched).toBe(open)
    expect(await countHiddenCurrencies(scratch.db)).toBe(open)
  }))
