import { type ScratchDatabase, scratchDatabase } from '@shardwalk/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { amountsOfOrderPage, amountsOfOrders, listMultisigOrders, ordersOfMultisigs } from '../src/index.ts'

const [MULTISIG, OTHER, STRANGER] = [1n, 2n, 3n]

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await scratchDatabase()
  const order = (account_id: bigint, multisig_id: bigint, signers: bigint[], length: number) => ({
    ...{ account_id, multisig_id, signers, order_boc: Buffer.alloc(length), lt: account_id },
    ...{ expiration_date: 0n, threshold: 1, approvals_num: 0, sent_for_execution: false },
    ...{ order_seqno: '0', approvals_mask: '0' },
  })
  await scratch.db
    .insertInto('multisig_orders')
    .values([
      order(10n, MULTISIG, [1n, 2n], 100),
      order(11n, MULTISIG, [], 3000),
      order(12n, OTHER, [1n], 7),
      order(13n, STRANGER, [1n], 1),
    ])
    .execute()
})
afterAll(() => scratch?.close())

test('the amounts of orders are those of the rows that would be loaded', async () => {
  const ids = [MULTISIG, OTHER]
  const rows = await ordersOfMultisigs(scratch.db, ids)
  expect(rows).toHaveLength(3)
  expect(await amountsOfOrders(scratch.db, ids)).toEqual({ orders: 3, bocBytes: 3107, signers: 3 })
  expect(await amountsOfOrders(scratch.db, [99n])).toEqual({ orders: 0, bocBytes: 0, signers: 0 })
  expect(await amountsOfOrders(scratch.db, [])).toEqual({ orders: 0, bocBytes: 0, signers: 0 })
})

test('the amounts of a page of orders are those of its rows', async () => {
  const filter = { multisigIds: [MULTISIG, OTHER] }
  const first = { limit: 2, offset: 0, sort: 'desc' } as const
  const { rows, next } = await listMultisigOrders(scratch.db, filter, first)
  expect(rows.map(({ account_id: id }) => id)).toEqual([12n, 11n])
  const amountsOf = (page: object) => amountsOfOrderPage(scratch.db, filter, { ...first, ...page })
  expect(await amountsOf({})).toEqual({ orders: 2, bocBytes: 3007, signers: 1 })
  expect(await amountsOf({ cursor: next })).toEqual({ orders: 1, bocBytes: 100, signers: 2 })
  expect(await amountsOf({ offset: 2, rowOrder: 'insertion' })).toMatchObject({ orders: 1 })
  expect(await amountsOfOrderPage(scratch.db, { ids: [] }, first)).toMatchObject({ orders: 0 })
})
