import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client, type Json } from './client.ts'
import { ChainUnderApi, inChunks, STRANGER } from './contracts/chain-under-api.ts'

interface Changes {
  readonly changes: Readonly<Record<string, number>> | null
  readonly fees: Readonly<Record<string, number>> | null
  readonly jettons: Readonly<Record<string, Readonly<Record<string, string>>>> | null
}
interface Transaction {
  readonly account: string
  readonly lt: string
  readonly prev_trans_lt: string
  readonly account_state_before: { readonly balance: string | null }
  readonly account_state_after: { readonly balance: string | null }
  readonly in_msg: { readonly hash: string }
  readonly out_msgs: readonly { readonly hash: string }[]
}
interface Trace {
  readonly trace_id: string
  readonly start_lt: string
  readonly end_lt: string
  readonly transactions: Readonly<Record<string, Transaction>>
}

/** Rows of long lists that are read. */
const MOST = isLong ? Number.POSITIVE_INFINITY : 900

let chain: ChainUnderApi
let traces: Trace[]
/** Of every trace, by its id; unless tests are long, of the first quarter of the chain. */
const byTrace = new Map<string, Changes>()
/** Traces whose changes are known, and the `lt` at which they end. */
let asked: Trace[]
let endLt: bigint
beforeAll(async () => {
  chain = await ChainUnderApi.start(classifiedChain)
  traces = (await chain.client.all('traces', 'traces', { sort: 'asc' }, 300, MOST)) as unknown as Trace[]
  asked = isLong ? traces : traces.slice(0, quietAt(600))
  endLt = BigInt(asked.at(-1)!.end_lt)
  for (const some of inChunks(asked, 8))
    await Promise.all(some.map(async ({ trace_id }) => byTrace.set(trace_id, await changesOf({ trace_id }))))
})
afterAll(() => chain?.close())

/** The first place in the list, from this one on, where all later traces begin after all earlier ones. */
function quietAt(place: number): number {
  while (traces.slice(place).some(({ start_lt }) => BigInt(start_lt) < BigInt(traces[place - 1]!.end_lt)))
    place++
  return place
}

async function changesOf(query: { trace_id?: string; action_id?: string }): Promise<Changes> {
  const { status, body } = await chain.client.get('balanceChanges', query)
  expect([query, status]).toEqual([query, 200])
  return body as unknown as Changes
}

const add = (sums: Map<string, bigint>, key: string, amount: bigint) =>
  sums.set(key, (sums.get(key) ?? 0n) + amount)

/** What it receives is burned. Source: block.tlb, ConfigParam 5. */
const BLACK_HOLE = `-1:${'F'.repeat(64)}`

test('changes less fees of all traces are the difference of balances', () => {
  const sums = new Map<string, bigint>()
  for (const { changes, fees } of byTrace.values()) {
    for (const [account, amount] of Object.entries(changes ?? {})) add(sums, account, BigInt(amount))
    for (const [account, amount] of Object.entries(fees ?? {})) add(sums, account, -BigInt(amount))
  }
  const ofAccount = new Map<string, Transaction[]>()
  for (const transaction of asked.flatMap((trace) => Object.values(trace.transactions)))
    ofAccount.set(transaction.account, [...(ofAccount.get(transaction.account) ?? []), transaction])
  let compared = 0
  for (const [account, transactions] of ofAccount) {
    transactions.sort((a, b) => Number(BigInt(a.lt) - BigInt(b.lt)))
    const [first, last] = [transactions[0]!, transactions.at(-1)!]
    const isWhole = transactions.every(
      ({ prev_trans_lt }, index) => index === 0 || prev_trans_lt === transactions[index - 1]!.lt,
    )
    const [before, after] = [first.account_state_before.balance, last.account_state_after.balance]
    if (!isWhole || account === BLACK_HOLE || before === null || after === null) continue
    expect([account, sums.get(account)]).toEqual([account, BigInt(after) - BigInt(before)])
    compared++
  }
  expect(compared).toBeGreaterThan(isLong ? 300 : 150)
})

test('jetton changes of all traces are the balances of wallets deployed in them', async () => {
  const sums = new Map<string, bigint>()
  for (const { jettons } of byTrace.values())
    for (const [owner, masters] of Object.entries(jettons ?? {}))
      for (const [master, amount] of Object.entries(masters)) add(sums, `${owner} ${master}`, BigInt(amount))
  const beginnings = new Set(
    asked
      .flatMap((trace) => Object.values(trace.transactions))
      .filter(({ prev_trans_lt }) => prev_trans_lt === '0')
      .map(({ account }) => account),
  )
  const wallets = await chain.client.all('jetton/wallets', 'jetton_wallets')
  // A claim of an airdrop adds to the balance what no message contains.
  const whole = wallets.filter(
    (row) =>
      beginnings.has(String(row['address'])) &&
      !row['mintless_info'] &&
      BigInt(String(row['last_transaction_lt'])) <= endLt,
  )
  const keyOf = (wallet: Json) => `${wallet['owner']} ${wallet['jetton']}`
  expect(whole.map((wallet) => [keyOf(wallet), sums.get(keyOf(wallet)) ?? 0n])).toEqual(
    whole.map((wallet) => [keyOf(wallet), BigInt(String(wallet['balance']))]),
  )
  expect(whole.length).toBeGreaterThan(isLong ? 20 : 8)
})

test('an action changes what its messages moved, not what its first sender received', async () => {
  const [transfer] = (await chain.rows('actions', 'actions', {
    action_type: 'jetton_transfer',
    limit: 1,
  })) as { action_id: string; trace_id: string; details: Record<string, string> }[]
  const { details, action_id, trace_id } = transfer!
  const { jettons, changes } = await changesOf({ action_id })
  expect(jettons![details['sender']!]).toEqual({ [details['asset']!]: `-${details['amount']}` })
  expect(jettons![details['receiver']!]).toEqual({ [details['asset']!]: details['amount'] })
  // What moves between accounts is neither made nor lost.
  expect(Object.values(changes!).reduce((sum, amount) => sum + amount, 0)).toBe(0)
  expect(await changesOf({ trace_id, action_id })).toEqual({ ...(await changesOf({ action_id })) })
})

test('transaction and message of one action may lie apart', async () => {
  let compared = 0
  const actions = (await chain.client.all(
    'actions',
    'actions',
    { sort: 'asc' },
    600,
    2 * MOST,
  )) as unknown as {
    action_id: string
    trace_id: string
    transactions: string[]
  }[]
  for (const { action_id, trace_id, transactions } of actions) {
    const trace = traces.find((one) => one.trace_id === trace_id)
    if (!trace && !isLong) break
    const [first, ...others] = transactions.map((hash) => trace!.transactions[hash]!)
    const apart = others.find(({ in_msg }) => first!.out_msgs.every(({ hash }) => hash !== in_msg.hash))
    if (!apart || compared === 10) continue
    const query = { tx_hash: transactions[0]!, msg_hash: apart.in_msg.hash }
    const found = await chain.rows('actions', 'actions', { ...query, limit: 1000 })
    expect([query, found.map((action) => action['action_id'])]).toEqual([
      query,
      expect.arrayContaining([action_id]),
    ])
    compared++
  }
  expect(compared).toBe(10)
})

test('replies have the cursor of the next page where clients of TON Center look for it', async () => {
  const query = { limit: 7, sort: 'asc', end_lt: endLt }
  const found: Json[] = []
  let cursor: string | undefined
  do {
    const { body, headers } = await chain.client.get('actions', { ...query, cursor })
    found.push(...(body['actions'] as Json[]))
    cursor = body['next_cursor'] as string | undefined
    expect(cursor).toBe(headers.get('x-next-cursor') ?? undefined)
  } while (cursor && found.length < 100)
  expect(found).toHaveLength(105)
  expect(found).toEqual(await chain.client.all('actions', 'actions', { ...query, limit: 105 }, 105, 105))
})

test('an unknown id is 404, no id 422', async () => {
  const unknown = `${'A'.repeat(43)}=`
  const errors = []
  for (const query of [{ trace_id: unknown }, { action_id: unknown }, {}, { trace_id: STRANGER }]) {
    const { status, body } = await chain.client.get('balanceChanges', query)
    errors.push([status, body['error']])
  }
  expect(errors.slice(0, 3)).toEqual([
    [404, 'trace_id not found'],
    [404, 'action_id not found'],
    [422, 'trace_id or action_id is required'],
  ])
  expect(errors[3]![0]).toBe(422)
})

test('a marketplace has the name that the operator gave its address', async () => {
  const query = {
    action_type: ['nft_put_on_sale', 'nft_cancel_sale', 'nft_purchase', 'auction_bid'],
    limit: 1000,
  }
  type Listed = { details: { marketplace?: string | null; marketplace_address?: string | null } }
  const unnamed = (await chain.rows('actions', 'actions', query)) as unknown as Listed[]
  const address = unnamed.find(({ details }) => details.marketplace_address)!.details.marketplace_address!
  expect(unnamed.every(({ details }) => !details.marketplace)).toBe(true)
  const named = await Client.start(chain.scratch, { marketplaces: new Map([[address, 'bazaar']]) })
  try {
    const { body } = await named.get<{ actions: Listed[] }>('actions', query)
    for (const { details } of body.actions)
      if (details.marketplace_address) {
        const name = details.marketplace_address === address ? 'bazaar' : null
        expect(details.marketplace).toBe(name)
      }
    expect(body.actions.some(({ details }) => details.marketplace === 'bazaar')).toBe(true)
  } finally {
    await named.close()
  }
})

test('initiated_by_account leaves what began with an external message to the account', async () => {
  interface Root {
    readonly account: string
    readonly in_msg: { readonly source: string | null } | null
  }
  const roots = new Map(
    traces.map(({ trace_id, transactions }) => [trace_id, transactions[trace_id] as unknown as Root]),
  )
  const initiators = [...roots.values()].filter(({ in_msg }) => in_msg?.source === null)
  const accounts = [...new Set(initiators.map(({ account }) => account))].slice(0, 12)
  const list = (query: Record<string, string>) => chain.client.all('actions', 'actions', query, 100, 400)
  const cases: readonly Record<string, string>[] = [
    {},
    { start_utime: '1' },
    { action_type: 'jetton_transfer' },
  ]
  let [own, others] = [0, 0]
  for (const account of accounts)
    for (const more of cases) {
      const end = { end_lt: traces.at(-1)!.end_lt, ...more }
      const all = await list({ account, ...end })
      const isOwn = ({ trace_id }: Json) => {
        const root = roots.get(trace_id as string)
        return root?.account === account && root.in_msg?.source === null
      }
      expect(await list({ account, initiated_by_account: 'true', ...end })).toEqual(all.filter(isOwn))
      expect(await list({ account, initiated_by_account: 'false', ...end })).toEqual(all)
      own += all.filter(isOwn).length
      others += all.length - all.filter(isOwn).length
    }
  expect(Math.min(own, others)).toBeGreaterThan(20)
  const { status, body } = await chain.client.get('actions', { initiated_by_account: 'true' })
  expect([status, body['error']]).toEqual([422, 'initiated_by_account requires account'])
})
