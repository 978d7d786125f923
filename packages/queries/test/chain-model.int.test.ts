import type { Db, Row } from '@shardwalk/db'
import type { AccountId } from '@shardwalk/model'
import { repartition, type ScratchDatabase, sampleChainDatabase, scratchDatabase } from '@shardwalk/testkit'
import { isLong, randomCases, swept, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALL_LT } from '../src/idiom/index.ts'
import {
  type BlockFilter,
  blocksOfShardState,
  findChangeScope,
  type JettonTransferFilter,
  jettonMoves,
  keepPlans,
  listBlocks,
  listJettonTransfers,
  listMessages,
  listTransactions,
  listTransactionsByMessage,
  listTransactionsOfBlocks,
  type MessageFilter,
  type MessageListFilter,
  placesOfMessages,
  type TransactionFilter,
  tonChanges,
} from '../src/index.ts'
import { ChainWorld } from './model/chain.ts'
import { rowsOf } from './model/contracts.ts'
import { Dice } from './model/dice.ts'
import { Ledger } from './model/ledger.ts'
import { allows, isTimed, Lists, same, sorted, within } from './model/lists.ts'
import {
  bodyHash,
  createdOf,
  hasBody,
  type Message,
  matches,
  messagesWith,
  once,
  sentByNone,
  sourceOf,
} from './model/messages.ts'
import { byLt, inOrder, isAmong, shardOf, type Transaction, workchainOf } from './model/transactions.ts'

const seed = testSeed()

type Block = Row<'blocks'>
type Transfer = Row<'jetton_transfers'>
/** Jettons with few transfers, and with most. */
const [RARE, COMMON] = [5n, 6n] as [AccountId, AccountId]

const CHAINS = {
  'the recorded sample': async () => {
    const database = await sampleChainDatabase()
    await repartition(database.pool, isLong ? 20 : 8)
    return database
  },
  'a made-up chain': async () => {
    const database = await scratchDatabase()
    await new ChainWorld(new Dice(seed)).insert(database.pool)
    return database
  },
}

/** So many messages of a body are read before the transactions are. */
const FEW_MESSAGES = 300

const sortedHex = (hashes: readonly Buffer[]) =>
  [...new Set(hashes.map((hash) => hash.toString('hex')))].sort()

const dice = new Dice(seed)
const { bounds, chance, ltBounds, maybe, pick } = dice
const direction = () => pick(['asc', 'desc'] as const)

// Of the chain that is tested.
let scratch: ScratchDatabase
let db: Db
let lists: Lists
let blocks: readonly Block[]
let transactions: readonly Transaction[]
let messages: readonly Message[]

describe.each(Object.entries(CHAINS))('%s', (_name, open) => {
  beforeAll(async () => {
    dice.restart()
    scratch = await open()
    db = keepPlans(scratch.pool)
    lists = new Lists(db, dice)
    blocks = await rowsOf(scratch.pool, 'blocks')
    transactions = await rowsOf(scratch.pool, 'transactions')
    messages = messagesWith(await rowsOf(scratch.pool, 'messages'), transactions, blocks)
  })
  afterAll(() => scratch?.close())

  describe('blocks', listsOfBlocks)
  describe('token events', listsOfTokenEvents)
  describe('messages', listsOfMessages)
  describe('transactions', listsOfTransactions)
  describe('transactions by message', listsByMessage)
  describe('balances', changesOfBalances)
})

async function tries(attempt: () => Promise<void>): Promise<void> {
  for (let round = randomCases(75); round > 0; round--) await attempt()
}

/** What is often of one row, otherwise of another. */
const near = <T>(one: T, from: readonly T[]) => (chance(0.8) ? one : pick(from))

function listsOfBlocks(): void {
  test('blocks by any filter', async () => {
    await tries(async () => {
      const one = pick(blocks)
      const of = () => near(one, blocks)
      const filter: BlockFilter = {
        workchain: maybe(0.4, () => of().workchain),
        shard: maybe(0.3, () => of().shard),
        seqno: maybe(0.15, () => of().seqno),
        rootHash: maybe(0.1, () => of().root_hash),
        fileHash: maybe(0.1, () => of().file_hash),
        mcBlockSeqno: maybe(0.15, () => of().mc_block_seqno),
        lt: maybe(0.4, () => ltBounds([one.start_lt, pick(blocks).start_lt])),
        time: maybe(0.4, () => bounds([one.gen_utime, pick(blocks).gen_utime])),
      }
      const sort = direction()
      const rows = blocks.filter(
        (block) =>
          same(filter.workchain, block.workchain) &&
          same(filter.shard, block.shard) &&
          same(filter.seqno, block.seqno) &&
          same(filter.mcBlockSeqno, block.mc_block_seqno) &&
          (!filter.rootHash || filter.rootHash.equals(block.root_hash)) &&
          (!filter.fileHash || filter.fileHash.equals(block.file_hash)) &&
          within(block.start_lt, filter.lt ?? {}) &&
          within(block.gen_utime, filter.time ?? {}),
      )
      await lists.expect({
        ...{ asked: { filter, sort }, table: 'blocks', key: ['workchain', 'shard', 'seqno'] },
        expected: sorted(rows, [
          { of: (block) => block.gen_utime, sort },
          { of: (block) => block.workchain, sort: 'asc' },
          { of: (block) => block.shard, sort: 'asc' },
          { of: (block) => block.seqno, sort },
        ]),
        read: (from, page) => listBlocks(from, filter, { ...page, sort }),
      })
    })
  })
}

function listsOfTokenEvents(): void {
  test('token events of owners, whose times are not in the order of lt', async () => {
    // As if a token message had started many transactions of all shards, for few owners.
    const party = (of: number) => `abs(hashint8(lt + ${of})) % 4 + 1`
    await scratch.pool.query(
      `insert into jetton_transfers (account_id, lt, now, aborted, confirmed, query_id, source_id,
         destination_id, jetton_id, amount, forward_amount)
       select account_id, lt, now, false, true, 0, ${party(1)}, ${party(2)},
         case when abs(hashint8(lt + 3)) % 30 = 0 then ${RARE} else ${COMMON} end, 1, 1 from transactions
       where (account_id, lt) not in (select account_id, lt from jetton_transfers)`,
    )
    const transfers = await rowsOf(scratch.pool, 'jetton_transfers')
    await tries(async () => {
      const one = pick(transfers)
      const filter: JettonTransferFilter = {
        lt: maybe(0.6, () => ltBounds([one.lt, pick(transfers).lt])) ?? ALL_LT,
        time: maybe(0.7, () => bounds([one.now, pick(transfers).now])) ?? {},
        ownerIds: maybe(0.9, () => [...new Set([one.source_id, pick(transfers).source_id])]),
        jettonIds: maybe(0.4, () => pick([[RARE], [COMMON], [RARE, COMMON]])),
        direction: pick([undefined, 'in', 'out', 'both'] as const),
      }
      const sort = direction()
      const isOf = (row: Transfer) =>
        (filter.direction !== 'out' && allows(filter.ownerIds, row.destination_id)) ||
        (filter.direction !== 'in' && allows(filter.ownerIds, row.source_id))
      const rows = transfers.filter(
        (row) =>
          row.confirmed &&
          !row.aborted &&
          isOf(row) &&
          allows(filter.jettonIds, row.jetton_id) &&
          within(row.lt, filter.lt) &&
          within(row.now, filter.time),
      )
      await lists.expect({
        ...{ asked: { filter, sort }, table: 'jetton_transfers', key: ['account_id', 'lt'] },
        expected: sorted(rows, [
          ...(isTimed(filter.time) ? [{ of: (row: Transfer) => row.now, sort } as const] : []),
          { of: (row) => row.lt, sort },
          { of: (row) => row.account_id, sort },
        ]),
        read: (from, page) => listJettonTransfers(from, filter, { ...page, sort }),
      })
    })
  })
}

/** A filter that many messages match. */
function messageFilter(one: Message): MessageFilter {
  const of = () => near(one, messages)
  // With few conditions lists are long.
  const share = pick([1, 1, 0.3])
  return {
    hashes: maybe(0.1 * share, () => [of().hash, of().hash_norm ?? of().hash, dice.hash()]),
    bodyHash: maybe(0.2, () => bodyHash(of().body)),
    source: maybe(0.4 * share, () => sourceOf(of())),
    sourceIsSystem: chance(0.1),
    destination: maybe(0.4 * share, () => of().destination_id),
    opcode: maybe(0.25 * share, () => of().opcode ?? undefined),
  }
}

function listsOfMessages(): void {
  test('messages by any filter', async () => {
    await tries(async () => {
      const one = pick(messages)
      const filter: MessageListFilter = {
        ...messageFilter(one),
        side: pick([undefined, undefined, 'in', 'out'] as const),
        externals: pick([undefined, undefined, 'without', 'only'] as const),
        lt: maybe(0.2, () => ltBounds([one.lt, pick(messages).lt])),
        time: maybe(0.2, () => bounds([one, pick(messages)].map((row) => row.created_at ?? 1010))),
      }
      const sort = direction()
      const { side, externals, lt } = filter
      const timed = isTimed(filter.time)
      const rows = messages.filter(
        (row) =>
          matches(row, filter) &&
          (side !== 'in' || row.receiver !== undefined) &&
          (side !== 'out' || row.sender !== undefined) &&
          (externals !== 'without' || row.created_lt !== null) &&
          (externals !== 'only' || row.created_lt === null) &&
          (!lt || (row.created_lt !== null && within(row.created_lt, lt))) &&
          (!timed || (row.created_at !== null && within(row.created_at, filter.time ?? {}))),
      )
      await lists.expect({
        ...{ asked: { filter, sort }, table: 'messages', key: ['hash', 'lt'], deletedBy: ['hash'] },
        expected: sorted(once(rows), [
          { of: timed ? (row: Message) => row.created_at! : createdOf, sort },
          { of: (row) => row.hash, sort },
        ]),
        skipsMore: filter.bodyHash !== undefined,
        read: (from, page) => listMessages(from, filter, { ...page, sort }),
      })
    })
  })

  test('a message is found by its hash, with its transactions, whichever of them are missing', async () => {
    const roots = await rowsOf(scratch.pool, 'traces')
    const begins = new Set(roots.flatMap((row) => row.external_hash?.toString('hex') ?? []))
    const isRoot = ({ hash, kind }: Message) => kind !== 1 && begins.has(hash.toString('hex'))
    const byHash = new Map<string, Message[]>()
    for (const row of messages) {
      const key = row.hash.toString('hex')
      byHash.set(key, [...(byHash.get(key) ?? []), row])
    }
    for (const { hash } of [...messages.filter(isRoot).slice(0, 30), ...swept(messages, 150)]) {
      const same = byHash.get(hash.toString('hex'))!
      const found = await listMessages(db, { hashes: [hash] }, { sort: 'desc', limit: 1, offset: 0 })
      expect(found.rows.map((row) => row.hash)).toEqual([hash])
      const ends = same.flatMap((row) => [row.receiver?.hash ?? [], row.sender?.hash ?? []].flat())
      const places = await placesOfMessages(db, [hash])
      expect(sortedHex(places.map((place) => place.hash))).toEqual(sortedHex(ends))
    }
  })

  test('messages that no transaction sent are in their place, wherever a page ends', async () => {
    for (const { created_lt: from } of messages.filter(sentByNone).slice(-3)) {
      const lt = { from: from!, to: 2n ** 63n - 1n }
      const expected = sorted(
        messages.filter((row) => row.created_lt !== null && row.created_lt >= lt.from),
        [
          { of: createdOf, sort: 'asc' },
          { of: (row) => row.hash, sort: 'asc' },
        ],
      ).map((row) => row.hash.toString('hex'))
      for (const limit of [1, 2, 5, 12, 20, 40]) {
        const { rows } = await listMessages(db, { lt }, { sort: 'asc', limit, offset: 0 })
        expect([limit, rows.map((row) => row.hash.toString('hex'))]).toEqual([
          limit,
          expected.slice(0, limit),
        ])
      }
    }
  })
}

function transactionFilter(one: Transaction): TransactionFilter {
  const of = () => near(one, transactions)
  return {
    workchain: maybe(0.5, () => workchainOf(of())),
    shard: maybe(0.5, () => shardOf(of())),
    seqno: maybe(0.25, () => of().block_seqno),
    accounts: maybe(0.3, () => [
      ...new Set([of().account_id, of().account_id, pick(transactions).account_id]),
    ]),
    excludedAccounts: maybe(0.1, () => [of().account_id]),
    mcBlockSeqno: maybe(0.1, () => of().mc_block_seqno),
    lt: maybe(0.3, () => ltBounds([one.lt, pick(transactions).lt])),
    time: maybe(0.3, () => bounds([one.now, pick(transactions).now])),
  }
}

function listsOfTransactions(): void {
  test('transactions by place and account', async () => {
    await tries(async () => {
      const filter = transactionFilter(pick(transactions))
      const sort = direction()
      const rows = transactions.filter((tx) => isAmong(tx, filter))
      await lists.expect({
        ...{ asked: { filter, sort }, table: 'transactions', key: ['account_id', 'lt'] },
        expected: inOrder(rows, filter, sort),
        read: (from, page) => listTransactions(from, filter, { ...page, sort }),
      })
    })
  })

  test('transactions of the blocks of a shard state', async () => {
    await tries(async () => {
      const { mc_block_seqno: seqno } = pick(blocks)
      const tops = await blocksOfShardState(db, seqno)
      const ofBlock = (tx: Transaction) =>
        tops.some(
          (block) =>
            block.workchain === workchainOf(tx) &&
            block.shard === shardOf(tx) &&
            block.seqno === tx.block_seqno,
        )
      await lists.expect({
        ...{ asked: { seqno }, table: 'transactions', key: ['account_id', 'lt'] },
        expected: sorted(transactions.filter(ofBlock), byLt('asc')),
        read: (from, page) => listTransactionsOfBlocks(from, tops, { ...page, sort: 'asc' }),
      })
    })
  })
}

const storedLike = (hash: Buffer) =>
  messages.filter((row) => row.body_hash8 === hash.readBigInt64BE(0)).length

async function expectByMessage(message: MessageFilter, among?: TransactionFilter): Promise<void> {
  const firstLook = pick([undefined, 1, 3, 20])
  const filter = { message, side: pick([undefined, 'in', 'out'] as const), among, firstLook }
  const sort = direction()
  const matching = messages.filter((row) => matches(row, message))
  const ends = matching.flatMap(({ receiver, sender }) => [
    ...(receiver && filter.side !== 'out' ? [receiver] : []),
    ...(sender && filter.side !== 'in' ? [sender] : []),
  ])
  await lists.expect({
    ...{ asked: { filter, sort }, table: 'transactions', key: ['account_id', 'lt'] },
    expected: inOrder(
      [...new Set(ends)].filter((tx) => isAmong(tx, among ?? {})),
      among ?? {},
      sort,
    ),
    skipsMore: message.bodyHash !== undefined && storedLike(message.bodyHash) > FEW_MESSAGES,
    read: (from, page) => listTransactionsByMessage(from, filter, { ...page, sort }),
  })
}

function listsByMessage(): void {
  test('transactions by message', async () => {
    await tries(async () => {
      const message = pick(messages)
      const end = message.receiver ?? message.sender ?? pick(transactions)
      await expectByMessage(messageFilter(message), chance(0.5) ? transactionFilter(end) : undefined)
    })
  })

  test('transactions by a body with whose hash that of another begins', async () => {
    const others = messages
      .slice(0, 1000)
      .filter((row) => row.body !== null && row.body_hash8 !== bodyHash(row.body).readBigInt64BE(0))
    for (const { body_hash8: stored } of others.slice(0, 3)) {
      const { body } = messages.find((row) => row.body_hash8 === stored && hasBody(row, bodyHash(row.body)))!
      await expectByMessage({ bodyHash: bodyHash(body) })
      const named = messages.filter((row) => row.body_hash8 === stored && row.opcode !== null)
      for (const { opcode } of named.slice(0, 3))
        await expectByMessage({ bodyHash: bodyHash(body), opcode: opcode! })
    }
  })
}

function changesOfBalances(): void {
  test('balance changes of traces and actions', async () => {
    const ledger = await Ledger.read(scratch.pool, { transactions, messages })
    const actions = await rowsOf(scratch.pool, 'actions')
    const opcodes = [0x0f8a7ea5, 1]
    await tries(async () => {
      const action = actions.length > 0 && chance(0.5) ? pick(actions) : undefined
      const traceId = action?.trace_id ?? pick(ledger.traces).trace_id
      const scope = await findChangeScope(db, action ? { actionId: action.action_id } : { traceId })
      const covered = sorted(ledger.covered(traceId, action), byLt('asc'))
      const asked = { trace: traceId, action: action?.action_id }
      expect({ asked, rows: await tonChanges(db, scope!) }).toEqual({
        asked,
        rows: ledger.tonChanges(covered),
      })
      expect({ asked, moves: await jettonMoves(db, scope!, opcodes) }).toEqual({
        asked,
        moves: ledger.jettonMoves(covered, opcodes),
      })
    })
  })
}
