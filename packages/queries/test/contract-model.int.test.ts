import type { Db, Row } from '@shardwalk/db'
import { type ScratchDatabase, scratchDatabase, shuffled } from '@shardwalk/testkit'
import { randomCases, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  findAccountStates,
  type JettonEventFilter,
  type JettonWalletFilter,
  listDnsRecords,
  listJettonBurns,
  listJettonMasters,
  listJettonTransfers,
  listJettonWallets,
  listMultisigOrders,
  listMultisigs,
  listNftCollections,
  listNftItems,
  listNftTransfers,
  listTopAccounts,
  listVestingContracts,
  type NftItemFilter,
  type Page,
  type SortedPageRequest,
  salesOfAccounts,
} from '../src/index.ts'
import { insertContracts, PARTIES, rowsOf } from './model/contracts.ts'
import { Dice } from './model/dice.ts'
import { allows, includes, isTimed, Lists, type Order, sorted, within } from './model/lists.ts'

let scratch: ScratchDatabase
let lists: Lists
const seed = testSeed()
const dice = new Dice(seed)
const { bounds, chance, ltBounds, maybe, pick, some } = dice

beforeAll(async () => {
  scratch = await scratchDatabase()
  await insertContracts(scratch.pool, dice)
  lists = new Lists(scratch.db, dice)
})
afterAll(() => scratch?.close())

/** For as many random filters as a run tries. */
async function tries(attempt: () => Promise<void>): Promise<void> {
  for (let round = randomCases(100); round > 0; round--) await attempt()
}

const direction = () => pick(['asc', 'desc'] as const)
/** Those of the profiles `standard` and `toncenter`. */
const rowOrder = () => pick([undefined, 'account', 'insertion'] as const)
const parties = (share: number) => maybe(share, () => some(PARTIES))
const hasAny = (list: readonly bigint[], wanted: readonly bigint[]) => list.some((id) => wanted.includes(id))

interface Contract {
  readonly account_id: bigint
  readonly row_no: bigint
}
const asc = <Row>(of: (row: Row) => bigint | number | Buffer) => ({ of, sort: 'asc' }) as const
const inRows = (order: ReturnType<typeof rowOrder>) =>
  asc((row: Contract) => (order === 'insertion' ? row.row_no : row.account_id))
const idsOf = (rows: readonly { readonly account_id: bigint }[], share: number) =>
  maybe(share, () => some(rows, 0.5).map((row) => row.account_id))

test('jetton masters and NFT collections by any filter', async () => {
  const masters = await rowsOf(scratch.pool, 'jetton_masters')
  const collections = await rowsOf(scratch.pool, 'nft_collections')
  await tries(async () => {
    const order = rowOrder()
    const [ids, ownerIds] = [idsOf(masters, 0.4), parties(0.5)]
    const asked = { ids, ownerIds, order }
    await lists.expect({
      ...{ asked, table: 'jetton_masters', key: ['account_id'] },
      expected: sorted(
        masters.filter((row) => allows(ids, row.account_id) && allows(ownerIds, row.admin_id)),
        [inRows(order)],
      ),
      read: (db, page) => listJettonMasters(db, { ids, adminIds: ownerIds }, { ...page, rowOrder: order }),
    })
    await lists.expect({
      ...{ asked, table: 'nft_collections', key: ['account_id'] },
      expected: sorted(
        collections.filter((row) => allows(ids, row.account_id) && allows(ownerIds, row.owner_id)),
        [inRows(order)],
      ),
      read: (db, page) => listNftCollections(db, { ids, ownerIds }, { ...page, rowOrder: order }),
    })
  })
})

test('jetton wallets by any filter', async () => {
  const wallets = await rowsOf(scratch.pool, 'jetton_wallets')
  const claims = new Map((await rowsOf(scratch.pool, 'mintless_claims')).map((row) => [row.wallet_id, row]))
  await tries(async () => {
    const filter: JettonWalletFilter = {
      ids: idsOf(wallets, 0.2),
      ownerIds: parties(0.5),
      jettonIds: maybe(0.5, () => some(PARTIES.slice(0, 3))),
      isHolding: chance(0.5),
    }
    const sort = pick([undefined, 'asc', 'desc'] as const)
    const order = rowOrder()
    const rows = wallets.filter(
      (one) =>
        allows(filter.ids, one.account_id) &&
        allows(filter.ownerIds, one.owner_id) &&
        allows(filter.jettonIds, one.jetton_id) &&
        (!filter.isHolding ||
          BigInt(one.balance) > 0n ||
          (claims.get(one.account_id)?.amount === '1' && one.is_claimed !== true)),
    )
    const byOwner = filter.ownerIds !== undefined && filter.jettonIds?.length !== 1
    const isSorted = sort && (byOwner || filter.jettonIds !== undefined || filter.ids === undefined)
    const to = isSorted ? sort : 'asc'
    const expected = sorted(rows, [
      ...(byOwner ? [{ of: (one: (typeof rows)[number]) => one.owner_id, sort: to } as const] : []),
      ...(isSorted
        ? [
            { of: (one: (typeof rows)[number]) => BigInt(one.balance), sort: to } as const,
            { of: (one: (typeof rows)[number]) => one.account_id, sort: to } as const,
          ]
        : [inRows(order)]),
    ])
    await lists.expect({
      ...{ asked: { filter, sort, order }, expected, table: 'jetton_wallets', key: ['account_id'] },
      read: (db, page) => listJettonWallets(db, filter, { ...page, sort, rowOrder: order }),
    })
  })
})

test('NFT items by any filter', async () => {
  const items = await rowsOf(scratch.pool, 'nft_items')
  const collections = [...PARTIES.slice(0, 3), PARTIES.at(-1)!]
  await tries(async () => {
    const filter: NftItemFilter = {
      ids: idsOf(items, 0.2),
      ownerIds: parties(0.5),
      collectionIds: maybe(0.5, () => some(collections)),
      indexes: maybe(0.2, () => some(items, 0.3).map((one) => one.item_index)),
      includesOnSale: chance(0.4),
    }
    const byLt = chance(0.2)
    const order = rowOrder()
    const ownerOf = (one: (typeof items)[number]) =>
      filter.includesOnSale ? one.real_owner_id : one.owner_id
    const rows = items.filter(
      (one) =>
        allows(filter.ids, one.account_id) &&
        allows(filter.ownerIds, ownerOf(one)) &&
        allows(filter.collectionIds, one.collection_id) &&
        allows(filter.indexes, one.item_index),
    )
    const byIndex: Order<(typeof rows)[number]> = [
      asc((one) => BigInt(one.item_index)),
      asc((one) => one.account_id),
    ]
    const expected = sorted(rows, itemOrder())
    await lists.expect({
      ...{ asked: { filter, byLt, order }, expected, table: 'nft_items', key: ['account_id'] },
      read: (db, page) => listNftItems(db, filter, { ...page, byLt, rowOrder: order }),
    })

    function itemOrder(): Order<(typeof rows)[number]> {
      if (byLt)
        return [
          { of: (one) => one.lt, sort: 'desc' },
          { of: (one) => one.account_id, sort: 'desc' },
        ]
      if (filter.collectionIds?.length === 1) return byIndex
      if (!filter.ownerIds) return [inRows(order)]
      return [asc((one) => ownerOf(one)!), asc((one) => one.collection_id ?? 2n ** 63n), ...byIndex]
    }
  })
})

test('multisig wallets and orders by any filter', async () => {
  const wallets = await rowsOf(scratch.pool, 'multisig_wallets')
  const orders = await rowsOf(scratch.pool, 'multisig_orders')
  await tries(async () => {
    const [ids, named] = [idsOf(wallets, 0.4), parties(0.6)]
    const page = { sort: direction(), rowOrder: rowOrder() }
    const asked = { ids, named, page }
    const order = (
      page.rowOrder === 'insertion'
        ? [{ of: (row) => row.row_no, sort: page.sort }]
        : [
            { of: (row) => row.lt, sort: page.sort },
            { of: (row) => row.account_id, sort: page.sort },
          ]
    ) satisfies Order<Contract & { readonly lt: bigint }>
    await lists.expect({
      ...{ asked, table: 'multisig_wallets', key: ['account_id'] },
      expected: sorted(
        wallets.filter(
          (row) =>
            allows(ids, row.account_id) && (!named || hasAny([...row.signers, ...row.proposers], named)),
        ),
        order,
      ),
      read: (db, part) => listMultisigs(db, { ids, memberIds: named }, { ...part, ...page }),
    })
    await lists.expect({
      ...{ asked, table: 'multisig_orders', key: ['account_id'] },
      expected: sorted(
        orders.filter((row) => allows(ids, row.account_id) && allows(named, row.multisig_id)),
        order,
      ),
      read: (db, part) => listMultisigOrders(db, { ids, multisigIds: named }, { ...part, ...page }),
    })
  })
})

test('vesting contracts by any filter', async () => {
  const contracts = await rowsOf(scratch.pool, 'vesting_contracts')
  await tries(async () => {
    const filter = {
      ids: idsOf(contracts, 0.4),
      partyIds: maybe(0.6, () => some(PARTIES, 0.2)),
      includesWhitelisted: chance(0.5),
    }
    const { ids, partyIds } = filter
    const order = rowOrder()
    const rows = contracts.filter(
      (row) =>
        allows(ids, row.account_id) &&
        (!partyIds ||
          hasAny([row.owner_id, row.sender_id], partyIds) ||
          (filter.includesWhitelisted && hasAny(row.whitelist, partyIds))),
    )
    await lists.expect({
      ...{ asked: { filter, order }, table: 'vesting_contracts', key: ['account_id'] },
      expected: sorted(rows, [inRows(order)]),
      read: (db, page) => listVestingContracts(db, filter, { ...page, rowOrder: order }),
    })
  })
})

test('DNS records by wallet or domain', async () => {
  const entries = await rowsOf(scratch.pool, 'dns_entries')
  await tries(async () => {
    const filter = { walletIds: parties(0.6), domain: maybe(0.2, () => pick(entries).domain) }
    const rows = entries.filter(
      (row) =>
        allows(filter.walletIds, row.wallet_id) &&
        (filter.domain === undefined || row.domain === filter.domain),
    )
    await lists.expect({
      ...{ asked: filter, table: 'dns_entries', key: ['account_id'] },
      expected: sorted(rows, [
        asc((row) => [...row.domain].length),
        asc((row) => Buffer.from(row.domain)),
        asc((row) => row.account_id),
      ]),
      read: (db, page) => listDnsRecords(db, filter, page),
    })
  })
})

interface TokenEvent {
  readonly account_id: bigint
  readonly lt: bigint
  readonly now: number
}

/** A list of token events; `rows`: those that fit the filter but for its window. */
async function expectEvents<One extends TokenEvent>({
  rows,
  filter,
  table,
  read,
}: {
  readonly rows: readonly One[]
  readonly filter: Pick<JettonEventFilter, 'lt' | 'time'>
  readonly table: string
  readonly read: (db: Db, page: SortedPageRequest) => Promise<Page<object>>
}): Promise<void> {
  const sort = direction()
  const by = (of: (row: One) => bigint | number) => ({ of, sort })
  const order = [by((row) => row.lt), by((row) => row.account_id)]
  await lists.expect<One>({
    ...{ asked: { filter, sort }, table, key: ['account_id', 'lt'] },
    expected: sorted(
      rows.filter((row) => within(row.lt, filter.lt) && within(row.now, filter.time)),
      isTimed(filter.time) ? [by((row) => row.now), ...order] : order,
    ),
    read: (db, page) => read(db, { ...page, sort }),
  })
}

const windowOf = (rows: readonly TokenEvent[]) => ({
  lt: maybe(0.5, () => ltBounds(rows.map((row) => row.lt))) ?? ltBounds([]),
  time: maybe(0.4, () => bounds(rows.map((row) => row.now))) ?? {},
})

test('jetton transfers and burns by any filter', async () => {
  const transfers = await rowsOf(scratch.pool, 'jetton_transfers')
  const burns = await rowsOf(scratch.pool, 'jetton_burns')
  await tries(async () => {
    const filter = {
      ...windowOf(transfers),
      ...{ ownerIds: parties(0.6), walletIds: parties(0.3), jettonIds: parties(0.3) },
      direction: pick([undefined, 'in', 'out', 'both'] as const),
    }
    const fits = (row: Pick<Row<'jetton_burns'>, 'account_id' | 'jetton_id'>) =>
      allows(filter.walletIds, row.account_id) && allows(filter.jettonIds, row.jetton_id)
    await expectEvents({
      ...{ filter, table: 'jetton_transfers' },
      rows: transfers.filter(
        (row) =>
          row.confirmed &&
          !row.aborted &&
          fits(row) &&
          ((filter.direction !== 'out' && allows(filter.ownerIds, row.destination_id)) ||
            (filter.direction !== 'in' && allows(filter.ownerIds, row.source_id))),
      ),
      read: (db, page) => listJettonTransfers(db, filter, page),
    })
    await expectEvents({
      ...{ filter, table: 'jetton_burns' },
      rows: burns.filter((row) => row.confirmed && fits(row) && allows(filter.ownerIds, row.owner_id)),
      read: (db, page) => listJettonBurns(db, filter, page),
    })
  })
})

test('NFT transfers by any filter', async () => {
  const transfers = await rowsOf(scratch.pool, 'nft_transfers')
  await tries(async () => {
    const filter = {
      ...windowOf(transfers),
      ...{ ownerIds: parties(0.6), itemIds: parties(0.3), collectionIds: parties(0.3) },
      direction: pick([undefined, 'in', 'out', 'both'] as const),
    }
    await expectEvents({
      ...{ filter, table: 'nft_transfers' },
      rows: transfers.filter(
        (row) =>
          row.confirmed &&
          allows(filter.itemIds, row.account_id) &&
          allows(filter.collectionIds, row.collection_id) &&
          ((filter.direction !== 'out' && allows(filter.ownerIds, row.new_owner_id)) ||
            (filter.direction !== 'in' && allows(filter.ownerIds, row.old_owner_id))),
      ),
      read: (db, page) => listNftTransfers(db, filter, page),
    })
  })
})

test('accounts by balance', async () => {
  const states = await rowsOf(scratch.pool, 'latest_account_states')
  await tries(() =>
    lists.expect({
      ...{ asked: {}, table: 'latest_account_states', key: ['account_id'] },
      expected: sorted(states, [{ of: (row) => row.balance, sort: 'desc' }, asc((row) => row.account_id)]),
      read: (db, page) => listTopAccounts(db, page),
    }),
  )
})

/** The accounts of some rows, and some that have none, in any order. */
const anyOf = (rows: readonly { readonly account_id: bigint }[]) => {
  const ids = [...some(rows).map((row) => row.account_id), ...some(PARTIES)]
  return shuffled([...new Set(ids)], dice.random)
}

test('states of accounts by any filter, in the order of the request', async () => {
  const states = await rowsOf(scratch.pool, 'latest_account_states')
  const byId = new Map(states.map((row) => [row.account_id, row]))
  await tries(async () => {
    const filter = {
      ids: maybe(0.7, () => anyOf(states)),
      codeHashes: maybe(0.5, () => states.slice(0, 3).flatMap((row) => row.code_hash ?? [])),
      bocs: chance(0.3),
      limit: 1000,
    }
    const rows = filter.ids
      ? filter.ids.flatMap((id) => byId.get(id) ?? [])
      : sorted(states, [asc((row) => row.account_id)])
    const expected = rows.filter(
      ({ code_hash: code }) => !filter.codeHashes || (code !== null && includes(filter.codeHashes, code)),
    )
    const found = await findAccountStates(scratch.db, filter)
    expect([filter, found.map((row) => row.account_id)]).toEqual([
      filter,
      expected.map((row) => row.account_id),
    ])
  })
})

test('sales, auctions, Telegram items by accounts, with what they sell', async () => {
  const items = new Map((await rowsOf(scratch.pool, 'nft_items')).map((row) => [row.account_id, row]))
  const sales = await rowsOf(scratch.pool, 'nft_sales')
  const auctions = await rowsOf(scratch.pool, 'nft_auctions')
  const telemint = (await rowsOf(scratch.pool, 'telemint_items')).map((row) => ({
    ...{ ...row, nft_id: row.account_id },
  }))
  const kinds: Readonly<Record<string, readonly { readonly account_id: bigint; readonly nft_id: bigint }[]>> =
    {
      ...{ getgems_sale: sales, getgems_auction: auctions, telemint },
    }
  await tries(async () => {
    const ids = anyOf([...sales, ...auctions, ...telemint])
    const expected = Object.entries(kinds).flatMap(([type, rows]) =>
      sorted(rows, [asc((row) => row.account_id)])
        .filter((row) => ids.includes(row.account_id))
        .map((row) => [type, row.account_id, items.get(row.nft_id)?.account_id]),
    )
    const found = await salesOfAccounts(scratch.db, ids)
    expect(found.map(({ type, row, item }) => [type, row.account_id, item?.account_id])).toEqual(expected)
  })
})
