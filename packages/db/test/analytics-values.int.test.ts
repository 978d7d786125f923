import { interfacesOf } from '@shardwalk/contracts'
import { type TransactionDescription, ZEROSTATE_ROOT_HASH } from '@shardwalk/model'
import { claimSampleNetwork, type ScratchDatabase } from '@shardwalk/testkit'
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
    `select t.*, d.description, exists (select from messages m where m.account_id = d.account_id
         and m.lt = d.in_msg_lt and m.kind = 1 and d.in_msg_account_id is null) as is_external
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
      storage: storagePhase && storagePhase.storageFeesCollected + (creditPhase?.dueFeesCollected ?? 0n),
      gas: ran?.gasFees,
      action: (actionPhase || bounce) && action + (bounce?.msgFees ?? 0n),
      forward:
        (actionPhase || bounce) && (actionPhase?.totalFwdFees ?? 0n) - action + (bounce?.fwdFees ?? 0n),
    }
    const nano = (ton: string | null) => (ton === null ? undefined : BigInt(ton.replace('.', '')))
    const found = {
      storage: nano(row.storage_fees_ton),
      gas: nano(row.gas_fees_ton),
      action: nano(row.action_fees_ton),
      forward: nano(row.forward_fees_ton),
    }
    if (JSON.stringify(found, shownNumber) !== JSON.stringify(expected, shownNumber))
      expect([row.hash, found]).toEqual([row.hash, expected])
    const imported = row.fees_nano - (found.storage ?? 0n) - (found.gas ?? 0n) - (found.action ?? 0n)
    expect(nano(row.import_fee_ton)).toBe(row.is_external ? imported : undefined)
    if (imported > 0n) kinds.add('import')
    if (!row.is_external) expect(imported).toBe(0n)
    const reason = computePhase?.skipped ? computePhase.reason : null
    if (row.skipped_reason !== reason) expect([row.hash, row.skipped_reason]).toEqual([row.hash, reason])
    for (const [kind, value] of Object.entries(found)) kinds.add(value === undefined ? `null ${kind}` : kind)
    kinds.add(reason ?? 'ran')
  }
  expect([...kinds].sort()).toEqual([
    ...['action', 'bad_state', 'forward', 'gas', 'import', 'no_gas', 'no_state'],
    ...['null action', 'null forward', 'null gas', 'ran', 'storage', 'suspended'],
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
    ['gas', null],
    ['action', 77_777n],
    ['forward', 133_331n],
  ])
    expect(await resultOf('analytics.fee($1, $2)', [packed, kind])).toBe(fee)
})

test('an account that was deleted and came back is new once', async () => {
  const firsts = await rowsOf(
    `select account, count(*) filter (where is_first) as firsts,
       count(*) filter (where prev_trans_lt = 0) as starts
     from analytics.transactions join transactions t on t.hash = hash_bytes group by 1`,
  )
  expect(firsts.every((row) => row.firsts === 1n)).toBe(true)
  expect(firsts.some((row) => row.starts > 1n)).toBe(true)
  const [{ new_accounts }] = await rowsOf(
    'select sum(new_accounts)::int8 as new_accounts from analytics.daily_stats',
  )
  expect(new_accounts).toBe(BigInt(firsts.length))
})

test('what began a trace is what its first transaction was caused by', async () => {
  const rows = await rowsOf(
    `select cause, count(*)::int as traces, count(external_hash)::int as by_message,
       array_agg(distinct c.kind order by c.kind) as kinds,
       array_agg(distinct m.kind order by m.kind) as messages
     from analytics.traces join analytics.transactions c on c.hash_bytes = trace_id_bytes
     left join analytics.messages m on m.hash = external_hash and m.destination = c.account
       and m.tx_hash_in = c.hash
     group by cause order by cause`,
  )
  const [{ blocks, minted }] = await rowsOf(
    `select (select count(*)::int from analytics.blocks where workchain = -1) as blocks,
       (select count(*)::int from analytics.messages where kind = 'internal' and source is null) as minted`,
  )
  const ticks = { traces: blocks, by_message: 0, kinds: ['tick_tock'], messages: [null] }
  expect(rows).toEqual([
    { cause: 'external_message', ...byMessage(rows[0].traces, 'external_in') },
    { cause: 'minted_coins', ...byMessage(minted, 'internal') },
    { cause: 'tick', ...ticks },
    { cause: 'tock', ...ticks },
  ])
  expect(rows[0].traces).toBeGreaterThan(800)

  // As if the sender were not indexed.
  const [sent] = await rowsOf(
    `select t.hash from transactions t join messages m on m.account_id = t.in_msg_account_id
       and m.lt = t.in_msg_lt limit 1`,
  )
  await rowsOf(
    `update traces set (trace_id, start_lt) = (select hash, lt from transactions where hash = $1)
     where ctid = (select ctid from traces limit 1)`,
    [sent.hash],
  )
  expect(await rowsOf('select cause from analytics.traces where trace_id_bytes = $1', [sent.hash])).toEqual([
    { cause: null },
  ])
})
const byMessage = (traces: number, kind: string) => ({
  ...{ traces, by_message: traces, kinds: ['ord'], messages: [kind] },
})

test('a jetton names the place of its metadata', async () => {
  const rows = await rowsOf(
    `select uri, j.content->>'uri' as stored from analytics.jettons
       join accounts a on analytics.address_text(a.workchain, a.address) = jettons.address
       join jetton_masters j on j.account_id = a.id`,
  )
  expect(rows.map(({ uri }) => uri)).toEqual(rows.map(({ stored }) => stored))
  expect(rows.map(({ uri }) => uri)).toContain('https://example.test/stable.json')
  expect(rows.map(({ uri }) => uri)).toContain(null)
})

test('a chain is mainnet or testnet by its zerostate, not by the number that its blocks carry', async () => {
  const network = async () => (await rowsOf('select network, zerostate, global_id from analytics.indexer'))[0]
  await claimSampleNetwork(scratch)
  const { rows } = await scratch.pool.query("select encode(root_hash, 'base64') as hash from network")
  expect(await network()).toEqual({ network: 'other', zerostate: rows[0].hash, global_id: -239 })
  for (const [name, zerostate] of Object.entries(ZEROSTATE_ROOT_HASH)) {
    await rowsOf("update network set root_hash = decode($1, 'base64')", [zerostate])
    expect(await network()).toEqual({ network: name, zerostate, global_id: -239 })
  }
})

test('wallets have the version that their code says', async () => {
  const rows = await rowsOf('select account, wallet, code_name, code_hash_bytes from analytics.accounts')
  const versions = new Set(rows.map(({ wallet }) => wallet))
  expect(versions.has('wallet_v4r2')).toBe(true)
  const { rows: named } = await scratch.pool.query(
    "select wallet from analytics.code_names where name in ('tg_wallet', 'gram_miner') order by name desc",
  )
  expect(named).toEqual([{ wallet: 'tg_wallet' }, { wallet: null }])
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

  // Changes that no transfer shows: between two transfers, and after the last one.
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
