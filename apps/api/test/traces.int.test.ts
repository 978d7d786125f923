import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { profileRules, traceReplies } from '@shardwalk/api-schema'
import { FIXTURE_CHAIN_FOLDER, randomFrom, type ScratchDatabase } from '@shardwalk/testkit'
import { sweptChain } from '@shardwalk/testkit/refresh-chain'
import { isLong, swept, testSeed } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client, type Json } from './client.ts'

let scratch: ScratchDatabase
let client: Client
let traces: Trace[]
let actions: Action[]

interface Node {
  readonly tx_hash: string
  readonly in_msg_hash?: string
  readonly children: readonly Node[]
}
interface Trace extends Json {
  readonly trace_id: string
  readonly end_lt: string
  readonly end_utime: number
  readonly mc_seqno_end: string
  readonly trace_info: { readonly transactions: number; readonly pending_messages: number }
  readonly trace: Node
  readonly transactions_order: readonly string[]
  readonly transactions: Readonly<Record<string, Transaction>>
}
interface Transaction extends Json {
  readonly account: string
  readonly lt: string
  readonly in_msg: { readonly hash: string; readonly source: string | null } | null
  readonly out_msgs: readonly { readonly hash: string }[]
}
interface Action extends Json {
  readonly trace_id: string
  readonly action_id: string
  readonly end_lt: string
  readonly trace_end_lt: string
  readonly trace_end_utime: number
  readonly type: string
  readonly transactions: readonly string[]
  readonly accounts: readonly string[]
}

beforeAll(async () => {
  scratch = await sweptChain.classified()
  client = await Client.start(scratch)
  traces = (await client.all('traces', 'traces')) as Trace[]
  actions = (await client.all('actions', 'actions', { include_accounts: true })) as Action[]
})

afterAll(async () => {
  await client?.close()
  await scratch?.close()
})

const { Trace: TraceSchema, Action: ActionSchema } = traceReplies(profileRules('standard'))
const ids = (rows: readonly Json[]) => rows.map((row) => row['trace_id'])
const idsOf = (rows: readonly Json[]) => [...new Set(ids(rows) as string[])].sort()
const nodesOf = (node: Node): Node[] => [node, ...node.children.flatMap(nodesOf)]

test('traces and actions have the documented form', () => {
  for (const trace of swept(traces, 4)) TraceSchema.parse(trace)
  for (const action of swept(actions, 4)) ActionSchema.parse(action)
  expect(actions.length).toBeGreaterThan(500)
})

test('a page that would be too large is refused with what to leave out', async () => {
  const small = await Client.start(scratch, { maxReplyBytes: 2_000_000 })
  try {
    const query = { limit: 1000, include_transactions: true }
    const refused = await small.get<{ error: string }>('actions', query)
    expect(refused.status).toBe(422)
    expect(refused.body.error).toMatch(
      /^the reply would have about \d+ MiB, .* 2 MiB: lower `limit` or leave out `include_transactions`$/,
    )
    expect((await small.get('actions', { ...query, limit: 10 })).status).toBe(200)
    expect((await small.get('actions', { limit: 1000 })).status).toBe(200)
    for (const path of ['traces', 'transactions']) {
      expect((await small.get(path, { limit: 1000 })).body['error']).toMatch(/MiB: lower `limit`$/)
      expect((await small.get(path, { limit: 10 })).status).toBe(200)
    }
  } finally {
    await small.close()
  }
})

test('every transaction of a complete trace is in its tree once, under the one that sent its message', () => {
  const all = traces.flatMap((trace) => trace.transactions_order)
  expect(new Set(all).size).toBe(all.length)
  for (const trace of swept(traces, 2)) {
    const nodes = nodesOf(trace.trace)
    expect(nodes.map((node) => node.tx_hash).sort()).toEqual([...trace.transactions_order].sort())
    expect(Object.keys(trace.transactions)).toEqual([...trace.transactions_order].sort())
    expect(trace.trace_info).toMatchObject({ transactions: nodes.length, pending_messages: 0 })
    expect(trace.trace.tx_hash).toBe(trace.trace_id)
    for (const node of nodes) {
      expect(node.in_msg_hash).toBe(trace.transactions[node.tx_hash]!.in_msg?.hash)
      const sent = trace.transactions[node.tx_hash]!.out_msgs.map((message) => message.hash)
      for (const child of node.children) expect(sent).toContain(child.in_msg_hash)
    }
  }
})

interface Send {
  readonly normalized_hash: string
  readonly txs?: readonly { readonly hash: string }[]
}

test('traces of the scenario are found by the hash of the sent message', async () => {
  const scenario = JSON.parse(
    gunzipSync(readFileSync(join(FIXTURE_CHAIN_FOLDER, 'scenario.json.gz'))).toString('utf8'),
  )
  const sends = scenario.steps.flatMap((step: Json) => (step['sends'] as Json[] | undefined) ?? [])
  const step = isLong ? 1 : 25
  let compared = 0
  for (const [index, { normalized_hash, txs }] of (sends as Send[]).entries()) {
    if (!txs || index % step > 0) continue
    const { body } = await client.get<{ traces: Trace[] }>('traces', {
      msg_hash: normalized_hash,
      limit: 1000,
    })
    const found = body.traces.flatMap((trace) => trace.transactions_order)
    if (found.length === 0) continue
    expect(found).toEqual(
      expect.arrayContaining(txs.map((tx) => Buffer.from(tx.hash, 'hex').toString('base64'))),
    )
    compared++
  }
  expect(compared).toBeGreaterThan(400 / step)
})

const keys = new Map<Trace, string>()
/** Sorts as lists do; made once, because lists are sorted often. */
function key(trace: Trace): string {
  const made =
    keys.get(trace) ??
    `${trace.end_lt.padStart(20, '0')} ${Buffer.from(trace.trace_id, 'base64').toString('hex')}`
  keys.set(trace, made)
  return made
}

test('lists are in order, forwards, backwards and page by page', async () => {
  expect(traces.map(key)).toEqual(traces.map(key).sort().reverse())
  const [limit, most] = isLong ? [317] : [67, 2 * 67]
  const ascending = await client.all('traces', 'traces', { sort: 'asc' }, limit, most)
  expect(ids(ascending)).toEqual(ids(traces).reverse().slice(0, most))
  const pages = await client.all('actions', 'actions', { sort: 'asc' }, isLong ? 211 : 101, most)
  expect(pages.map((row) => row['action_id'])).toEqual(
    actions
      .map((row) => row.action_id)
      .reverse()
      .slice(0, pages.length),
  )
  if (isLong) expect(pages).toHaveLength(actions.length)
  const offset = await client.get<{ actions: Action[] }>('actions', { offset: 20, limit: 7 })
  expect(offset.body.actions.map((row) => row.action_id)).toEqual(
    actions.slice(20, 27).map((row) => row.action_id),
  )
})

test('any page of the traces of an account equals that of the sorted whole list', async () => {
  const random = randomFrom(testSeed())
  const chance = (share: number) => random() < share
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const accountsOf = new Map(
    traces.map((trace) => [trace, new Set(Object.values(trace.transactions).map((one) => one.account))]),
  )
  // Weighted by frequency: most of them have many traces.
  const actors = traces.flatMap((trace) => Object.values(trace.transactions).map((one) => one.account))
  for (let round = 0; round < (isLong ? 30 : 6); round++) {
    const account = pick(actors)
    const sort = chance(0.5) ? 'asc' : 'desc'
    const [one, other] = [pick(traces), pick(traces)].sort((a, b) => (key(a) < key(b) ? -1 : 1)) as [
      Trace,
      Trace,
    ]
    const byTime = chance(0.5)
    const from = chance(0.4) ? one : undefined
    const to = chance(0.4) ? other : undefined
    const bounds = byTime
      ? { start_utime: from?.end_utime, end_utime: to?.end_utime }
      : { start_lt: from?.end_lt, end_lt: to?.end_lt }
    const isTimed = byTime && (from !== undefined || to !== undefined)
    const at = (trace: Trace) => (byTime ? BigInt(trace.end_utime) : BigInt(trace.end_lt))
    const place = (trace: Trace) => (isTimed ? `${trace.end_utime} ${key(trace).split(' ')[1]}` : key(trace))
    const expected = traces
      .filter((trace) => accountsOf.get(trace)!.has(account))
      .filter((trace) => (!from || at(trace) >= at(from)) && (!to || at(trace) <= at(to)))
      .sort((a, b) => (place(a) < place(b) === (sort === 'asc') ? -1 : 1))
    const [limit, offset] = [1 + Math.floor(random() * 6), chance(0.3) ? Math.floor(random() * 40) : 0]
    const query = { account, sort, limit, offset, ...bounds }
    const first = await client.get<{ traces: Trace[] }>('traces', query)
    expect([query, ids(first.body.traces)]).toEqual([query, ids(expected.slice(offset, offset + limit))])
    const cursor = first.headers.get('x-next-cursor')
    if (!cursor) continue
    const next = await client.get<{ traces: Trace[] }>('traces', { ...query, offset: undefined, cursor })
    expect([query, ids(next.body.traces)]).toEqual([
      query,
      ids(expected.slice(offset + limit, offset + 2 * limit)),
    ])
  }
})

test('every filter of traces selects the matching rows', async () => {
  const account = traces.flatMap((trace) => Object.values(trace.transactions))[40]!.account
  const [early, late] = [traces.at(-100)!, traces.at(isLong ? 100 : -200)!]
  const tx = traces[60]!.transactions_order.at(-1)!
  const message = traces
    .slice(70)
    .flatMap((trace) => Object.values(trace.transactions))
    .find((one) => one.in_msg)!.in_msg!
  const cases: [Json, (trace: Trace) => boolean][] = [
    [{ account }, (trace) => Object.values(trace.transactions).some((one) => one.account === account)],
    [
      { account, sort: 'asc', end_lt: late.end_lt },
      (trace) =>
        BigInt(trace.end_lt) <= BigInt(late.end_lt) &&
        Object.values(trace.transactions).some((one) => one.account === account),
    ],
    [{ trace_id: traces[5]!.trace_id }, (trace) => trace === traces[5]],
    [{ tx_hash: tx }, (trace) => trace.transactions_order.includes(tx)],
    [
      { msg_hash: message.hash },
      (trace) =>
        Object.values(trace.transactions).some((one) =>
          [one.in_msg, ...one.out_msgs].some((m) => m?.hash === message.hash),
        ),
    ],
    [{ mc_seqno: late.mc_seqno_end }, (trace) => trace.mc_seqno_end === late.mc_seqno_end],
    [
      { start_lt: early.end_lt, end_lt: late.end_lt },
      (trace) => BigInt(trace.end_lt) >= BigInt(early.end_lt) && BigInt(trace.end_lt) <= BigInt(late.end_lt),
    ],
    [
      { start_utime: early.end_utime, end_utime: late.end_utime },
      (trace) => trace.end_utime >= early.end_utime && trace.end_utime <= late.end_utime,
    ],
  ]
  for (const [query, matches] of cases) {
    const found = await client.all('traces', 'traces', query as never, 100)
    expect(found.length).toBeGreaterThan(0)
    expect(idsOf(found)).toEqual(idsOf(traces.filter(matches)))
  }
})

/** Filters use the type as stored; transfers of extra currencies are returned with another type. */
async function storedTransfers(): Promise<(action: Action) => boolean> {
  const { rows } = await scratch.pool.query(
    "select trace_id, action_id from actions where type = 'ton_transfer'",
  )
  const keys = new Set(
    rows.map((row) => `${row.trace_id.toString('base64')} ${row.action_id.toString('base64')}`),
  )
  return (action) => keys.has(`${action.trace_id} ${action.action_id}`)
}

test('every filter of actions selects the matching rows, alone and combined', async () => {
  const isTransfer = await storedTransfers()
  const one = actions.find(isTransfer)!
  const account = one.accounts[0]!
  const [early, late] = [actions.at(-100)!, actions.at(isLong ? 100 : -200)!]
  const cases: [Json, (action: Action) => boolean][] = [
    [{ account }, (action) => action.accounts.includes(account)],
    [
      { account, action_type: 'ton_transfer', start_lt: early.trace_end_lt },
      (action) =>
        action.accounts.includes(account) &&
        isTransfer(action) &&
        BigInt(action.trace_end_lt) >= BigInt(early.trace_end_lt),
    ],
    [
      { account, tx_hash: one.transactions[0] },
      (action) => action.accounts.includes(account) && action.transactions.includes(one.transactions[0]!),
    ],
    [{ action_id: one.action_id }, (action) => action === one],
    [{ action_id: one.action_id, exclude_action_type: 'ton_transfer' }, () => false],
    [{ trace_id: one.trace_id }, (action) => action.trace_id === one.trace_id],
    [{ action_type: 'contract_deploy' }, (action) => action.type === 'contract_deploy'],
    [{ exclude_action_type: 'ton_transfer' }, (action) => !isTransfer(action)],
    [
      { start_lt: early.trace_end_lt, end_lt: late.trace_end_lt },
      (action) =>
        BigInt(action.trace_end_lt) >= BigInt(early.trace_end_lt) &&
        BigInt(action.trace_end_lt) <= BigInt(late.trace_end_lt),
    ],
    [{ end_utime: early.trace_end_utime }, (action) => action.trace_end_utime <= early.trace_end_utime],
  ]
  for (const [query, matches] of cases) {
    const found = await client.all('actions', 'actions', { ...(query as object) }, 100)
    const expected = actions.filter(matches).map((action) => action.action_id)
    expect([query, found.map((row) => row['action_id']).sort()]).toEqual([query, expected.sort()])
  }
})

test('messages lead to the actions that contain their transactions', async () => {
  const trace = traces.find((candidate) => candidate.trace_info.transactions > 2)!
  const hash = trace.trace.children[0]!.in_msg_hash!
  const ends = [trace.trace_id, trace.trace.children[0]!.tx_hash]
  const { body } = await client.get<{ actions: Action[] }>('actions', { msg_hash: hash, limit: 1000 })
  const expected = actions.filter((action) => action.transactions.some((tx) => ends.includes(tx)))
  expect(body.actions.map((row) => row.action_id).sort()).toEqual(expected.map((row) => row.action_id).sort())
})

test('actions include their transactions and accounts on request', async () => {
  const { body } = await client.get<{ actions: (Action & { transactions_full: { hash: string }[] })[] }>(
    'actions',
    {
      include_transactions: true,
      limit: 40,
    },
  )
  for (const action of body.actions) {
    expect(action.transactions_full.map((tx) => tx.hash)).toEqual(action.transactions)
    expect(action.accounts).toBeUndefined()
    ActionSchema.parse(action)
  }
  expect(actions.every((action) => action.accounts.length > 0)).toBe(true)
})

test('a trace has the message of its root, also a system message', async () => {
  const system = []
  for (const trace of traces) {
    const root = trace.transactions[trace.trace_id]!
    expect(trace['external_hash']).toBe(root.in_msg?.hash ?? null)
    if (root.in_msg && root.in_msg.source !== null) system.push(root)
    if (root.in_msg?.source === null) expect(root['trace_external_hash']).toBeTypeOf('string')
    else expect(root).not.toHaveProperty('trace_external_hash')
  }
  expect(system.length).toBeGreaterThan(0)
})

test('events are traces with their actions', async () => {
  const query = { limit: 20, offset: 3 }
  const { body: expected } = await client.get('traces', { ...query, include_actions: true })
  const { traces: rows, ...beside } = expected
  expect((rows as Trace[]).some((row) => (row['actions'] as Json[]).length > 0)).toBe(true)
  expect((await client.get('events', query)).body).toEqual({ events: rows, ...beside })
})

test('traces include the actions that the client’s version supports', async () => {
  const limit = isLong ? 200 : 80
  const chosen = traces.slice(0, limit).map((trace) => trace.trace_id)
  const rows = (
    await client.get<{ traces: (Trace & { actions: Action[] })[] }>('traces', {
      include_actions: true,
      limit,
    })
  ).body.traces
  expect(ids(rows)).toEqual(chosen)
  const expected = actions
    .filter((action) => chosen.includes(action.trace_id))
    .map((action) => action.action_id)
  expect(rows.flatMap((trace) => trace.actions.map((action) => action.action_id)).sort()).toEqual(
    expected.sort(),
  )
  const idsAt = async (version: string, headers = {}) => {
    const query = { limit: isLong ? 1000 : 300, supported_action_types: version }
    const { body } = await client.get<{ actions: Action[] }>('actions', query, headers)
    return body.actions.map((row) => row.action_id)
  }
  expect(await idsAt('v4', { 'X-Actions-Version': 'v1' })).toEqual(await idsAt('v1'))
})

/** The wallet v5 that another account sent a signed request. */
const RELAYED_TO = '0:97F3B0257D9D4D0B6A7BD87B392FFC74749A909F6FD56EED2C08CAFBB2E57C3C'

test('a relayed request, and what follows from it, for clients that know of such requests', async () => {
  const ask = async (query: object, headers = {}) => {
    const all = { account: RELAYED_TO, limit: 1000, ...query }
    return (await client.get<{ actions: Action[] }>('actions', all, headers)).body.actions
  }
  const [request, ...others] = await ask({ action_type: 'gasless_request' })
  expect(others).toEqual([])
  const details = { destination: RELAYED_TO, value: '100000000' }
  expect(request).toMatchObject({ success: true, details })
  const link = { parent_gasless_action: request!.action_id }
  const ofTrace = { trace_id: [request!.trace_id] }
  const both = expect.arrayContaining([request, expect.objectContaining({ ...link, type: 'ton_transfer' })])
  for (const newer of [
    await ask({ ...ofTrace, supported_action_types: ['v5'] }),
    await ask({ ...ofTrace, supported_action_types: ['gasless_request'] }),
    await ask(ofTrace, { 'X-Actions-Version': 'v5' }),
    await ask({ ...ofTrace, action_type: ['gasless_request', 'ton_transfer'] }),
  ])
    expect(newer).toEqual(both)
  const older = await ask(ofTrace)
  expect(older.map(({ type }) => type)).toEqual(['call_contract', 'ton_transfer', 'call_contract'])
  expect(JSON.stringify(older)).not.toContain('parent_gasless_action')
  const including = { ...ofTrace, include_actions: true }
  const actionsIn = async (query: object) =>
    (await client.get<{ traces: { actions: Action[] }[] }>('traces', { ...including, ...query })).body
      .traces[0]!.actions
  expect(await actionsIn({ supported_action_types: ['v5'] })).toEqual(both)
  const includedOlder = await actionsIn({})
  expect(includedOlder).toHaveLength(older.length)
  expect(includedOlder).toEqual(expect.arrayContaining(older))
})

test('invalid requests are refused with the reason', async () => {
  const [trace] = traces
  const both = await client.get('traces', { trace_id: trace!.trace_id, tx_hash: trace!.trace_id })
  expect([both.status, both.body['error']]).toEqual([
    422,
    'only one of account, trace_id, tx_hash, msg_hash should be specified',
  ])
  const missing = await client.get('traces', { mc_seqno: 4_000_000 })
  expect([missing.status, missing.body['error']]).toEqual([404, 'masterchain block 4000000 not found'])
  expect((await client.get('actions', { mc_seqno: 4_000_000 })).status).toBe(404)
  const type = await client.get('actions', { action_type: 'a-b' })
  expect([type.status, type.body['error']]).toEqual([
    422,
    expect.stringContaining('contains invalid characters'),
  ])
  const none = await client.get('traces', { trace_id: `${'A'.repeat(43)}=` })
  expect(none.body).toEqual({ traces: [], address_book: {}, metadata: {} })
})
