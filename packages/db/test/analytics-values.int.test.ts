import { interfacesOf } from '@shardwalk/contracts'
import type { TransactionDescription } from '@shardwalk/model'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { packDescription, unpackDescription } from '@shardwalk/tlb'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** What views say of fees, wallets, owners and contracts is what the tables and descriptions say. */

let scratch: ScratchDatabase
beforeAll(async () => {
  scratch = await classifiedChain()
})
afterAll(() => scratch?.close())

const rowsOf = async (text: string, values: unknown[] = []) => (await scratch.pool.query(text, values)).rows
const resultOf = async (expression: string, values: unknown[] = []) =>
  (await rowsOf(`select ${expression} as value`, values))[0].value

test('fees by kind are those of the description, and together all fees', async () => {
  const rows = await rowsOf(
    `select t.*, d.description, d.in_msg_account_id is null and t.kind = 'ord'
       and not exists (select from messages m where m.account_id = d.account_id and m.lt = d.in_msg_lt
         and m.kind <> 1) as is_external
     from analytics.transactions t join transactions d on d.hash = t.hash_bytes`,
  )
  const kinds = new Set<string>()
  for (const row of rows) {
    const { storagePhase, creditPhase, computePhase, actionPhase, bouncePhase } = unpackDescription(
      row.description,
    )
    const bounce = bouncePhase?.type === 'ok' ? bouncePhase : undefined
    const action = actionPhase?.totalActionFees ?? 0n
    const ran = computePhase && !computePhase.skipped ? computePhase : undefined
    const expected = {
      storage: (storagePhase?.storageFeesCollected ?? 0n) + (creditPhase?.dueFeesCollected ?? 0n),
      gas: ran?.gasFees ?? 0n,
      action: action + (bounce?.msgFees ?? 0n),
      forward: (actionPhase?.totalFwdFees ?? 0n) - action + (bounce?.fwdFees ?? 0n),
    }
    const nano = (ton: string) => BigInt(ton.replace('.', ''))
    const found = {
      storage: nano(row.storage_fees_ton),
      gas: nano(row.gas_fees_ton),
      action: nano(row.action_fees_ton),
      forward: nano(row.forward_fees_ton),
    }
    if (JSON.stringify(found, shownNumber) !== JSON.stringify(expected, shownNumber))
      expect([row.hash, found]).toEqual([row.hash, expected])
    const imported = row.fees_nano - found.storage - found.gas - found.action
    expect(nano(row.import_fee_ton)).toBe(imported)
    if (imported !== 0n) {
      kinds.add('import')
      expect([imported > 0n, row.is_external]).toEqual([true, true])
    }
    const reason = computePhase?.skipped ? computePhase.reason : null
    if (row.skipped_reason !== reason) expect([row.hash, row.skipped_reason]).toEqual([row.hash, reason])
    for (const [kind, value] of Object.entries(found)) if (value > 0n) kinds.add(kind)
    kinds.add(reason ?? 'ran')
  }
  expect([...kinds].sort()).toEqual([
    ...[
      'action',
      'bad_state',
      'forward',
      'gas',
      'import',
      'no_gas',
      'no_state',
      'ran',
      'storage',
      'suspended',
    ],
  ])
})
const shownNumber = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

test('fees of extra currencies, bounces and long numbers do not shift what follows', async () => {
  const currencies = new Map([
    [100, 2n ** 60n],
    [300, 5n],
  ])
  const description: TransactionDescription = {
    ...{ kind: 'ord', creditFirst: true, aborted: true, destroyed: false },
    storagePhase: { storageFeesCollected: 2n ** 40n, storageFeesDue: 300n, statusChange: 'unchanged' },
    creditPhase: { dueFeesCollected: 128n, credit: 2n ** 62n, creditExtraCurrencies: currencies },
    computePhase: { skipped: true, reason: 'suspended' },
    bouncePhase: { type: 'ok', msgSize: { cells: 1n, bits: 700n }, msgFees: 77_777n, fwdFees: 133_331n },
  }
  const packed = packDescription(description)
  for (const [kind, fee] of [
    ['storage', 2n ** 40n + 128n],
    ['gas', 0n],
    ['action', 77_777n],
    ['forward', 133_331n],
  ])
    expect(await resultOf('analytics.fee($1, $2)', [packed, kind])).toBe(fee)
})

test('wallets have the version that their code says', async () => {
  const rows = await rowsOf('select account, wallet, code_name, code_hash_bytes from analytics.accounts')
  const versions = new Set(rows.map(({ wallet }) => wallet))
  expect(versions.has('wallet_v4r2')).toBe(true)
  for (const { wallet, code_name, code_hash_bytes } of rows) {
    const names = interfacesOf({ codeHash: code_hash_bytes ?? undefined, methods: [] })
    expect([code_name ?? undefined]).toEqual([names[0]])
    expect(wallet).toBe(code_name?.startsWith('wallet_') ? code_name : null)
  }
})

test('owners follow each other, up to the newest state', async () => {
  const changes = await rowsOf('select * from analytics.nft_owner_changes order by item, lt, kind = $1', [
    'transfer',
  ])
  const owners = new Map<string, string | null>()
  for (const { item, old_owner, new_owner } of changes) {
    if (owners.has(item)) expect(old_owner).toBe(owners.get(item))
    owners.set(item, new_owner)
  }
  const items = await rowsOf('select item, owner from analytics.nft_items where init and item is not null')
  expect(items.length).toBeGreaterThan(20)
  for (const { item, owner } of items) expect([item, owners.get(item) ?? null]).toEqual([item, owner])
  expect(new Set(changes.map(({ kind }) => kind))).toEqual(new Set(['first', 'transfer']))

  // Changes that no transfer tells of: between two transfers, and after the last one.
  const itemWith = async (condition: string) => {
    const [row] = await rowsOf(
      `select e.account_id as item, max(e.lt) as last, max(t.last) as newest from nft_transfers e
         join (select account_id, max(lt) as last from transactions group by 1) t using (account_id)
       where confirmed and not aborted group by 1 having ${condition} limit 1`,
    )
    return row as { item: bigint; last: bigint; newest: bigint }
  }
  const strangers = await rowsOf(
    'select id from accounts where id not in (select old_owner_id from nft_transfers) limit 2',
  )
  const othersOf = async (item: bigint) =>
    (
      await rowsOf(
        `select n.id from analytics.nft_owner_changes c
           join accounts n on analytics.address_text(n.workchain, n.address) = c.new_owner
         where kind = 'other' and item =
           (select analytics.address_text(workchain, address) from accounts where id = $1)`,
        [item],
      )
    ).map(({ id }) => id)
  const between = await itemWith('count(*) > 1')
  await rowsOf('update nft_transfers set old_owner_id = $1 where account_id = $2 and lt = $3', [
    ...[strangers[0].id, between.item, between.last],
  ])
  expect(await othersOf(between.item)).toContain(strangers[0].id)
  const after = await itemWith('max(e.lt) < max(t.last)')
  await rowsOf('update nft_items set owner_id = $1, lt = $3 where account_id = $2', [
    ...[strangers[1].id, after.item, after.newest],
  ])
  expect(await othersOf(after.item)).toContain(strangers[1].id)
})

test('approvals of an order are those of its mask', async () => {
  const orders = await rowsOf('select * from analytics.multisig_orders where order_address is not null')
  expect(orders.length).toBeGreaterThan(3)
  for (const { approvals, approved_by, signers } of orders) {
    expect(approved_by).toHaveLength(approvals)
    expect(signers).toEqual(expect.arrayContaining(approved_by))
  }
})

test('what a contract locks ends with its time, and numbers of strangers break nothing', async () => {
  const [{ id }] = (await scratch.pool.query('select account_id as id from vesting_contracts limit 1')).rows
  const locked = async (start: number, cliff = 0, total = 1000, period = 10) => {
    await scratch.pool.query(
      `update vesting_contracts set start_time = extract(epoch from now())::int8 + $2, cliff_duration = $3,
         total_duration = $4, unlock_period = $5, total_amount = 1000000000 where account_id = $1`,
      [id, start, cliff, total, period],
    )
    const [row] = await rowsOf(
      `select locked_ton::float8 as locked, end_time from analytics.vesting_contracts where contract =
         (select analytics.address_text(workchain, address) from accounts where id = $1)`,
      [id],
    )
    return row.locked
  }
  expect(await locked(100)).toBe(1)
  expect(await locked(-505)).toBe(0.5)
  expect(await locked(-505, 600)).toBe(1)
  expect(await locked(-2000)).toBe(0)
  expect(await locked(2 ** 50, 0, 2 ** 50)).toBe(1)
  expect(await locked(-500, 0, 1000, 0)).toBe(null)
})
