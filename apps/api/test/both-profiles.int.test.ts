import { readFileSync } from 'node:fs'
import { PROFILES } from '@shardwalk/api-schema'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Json, Query } from './client.ts'
import { facts, raw } from './contracts/chain-under-api.ts'
import { ProfileClients } from './profile-clients.ts'

// What docs/compatibility-v3.md says is seen in both profiles, row by row.

let clients: ProfileClients
beforeAll(async () => {
  clients = await ProfileClients.start(await classifiedChain())
})
afterAll(() => clients?.close())

/** Of long lists whose order is looked at. */
const LIMIT = isLong ? 1000 : 200

type See = (client: Client) => Promise<void>

const WALLET = '0:8D45B59C3C3AA082746777093179B3194C73F5BE118BB99761E4BA189A79C53E'

async function refused(client: Client, path: string, query: Query, text = /./): Promise<void> {
  const { status, body } = await client.get(path, query)
  expect([path, status, body]).toEqual([path, 422, { error: expect.stringMatching(text), code: 422 }])
}

const rowsOf = async (client: Client, path: string, key: string, query: Query = {}): Promise<Json[]> => {
  const { status, body } = await client.get(path, query)
  expect([path, status, body['error']]).toEqual([path, 200, undefined])
  return body[key] as Json[]
}

/** Values of rows, compared one after the other. */
function ordered<T>(
  rows: readonly Json[],
  of: (row: Json) => readonly T[],
  directions: readonly (1 | -1)[],
): void {
  const compare = (a: Json, b: Json): number => {
    for (const [at, direction] of directions.entries()) {
      const [x, y] = [of(a)[at]!, of(b)[at]!]
      if (x !== y) return x < y ? -direction : direction
    }
    return 0
  }
  expect(rows.map(of)).toEqual([...rows].sort(compare).map(of))
  expect(rows.length).toBeGreaterThan(10)
}

const messageOf = (row: Json) => row['in_msg'] as Json | null

const PENDING = [
  ['pendingTransactions', 'transactions'],
  ['pendingTraces', 'traces'],
  ['pendingActions', 'actions'],
] as const

/** By the subject of the row. */
const SEEN: Readonly<Record<string, See>> = {
  async 'empty lists of pending endpoints'(client) {
    for (const [path, key] of PENDING.slice(1))
      expect(await rowsOf(client, path, key, { ext_msg_hash: '0'.repeat(64) })).toEqual([])
  },
  async '`address=` alone on `/accountStates`, `/walletStates`'(client) {
    for (const path of ['accountStates', 'walletStates']) await refused(client, path, { address: '' })
  },
  async '`seqno` of block endpoints missing'(client) {
    for (const path of [
      'masterchainBlockShards',
      'masterchainBlockShardState',
      'transactionsByMasterchainBlock',
    ])
      await refused(client, path, {}, /seqno/)
  },
  async errors(client) {
    expect((await client.get('nothing')).body).toEqual({ error: expect.any(String), code: 404 })
    await refused(client, 'blocks', { sort: 'up' })
    await refused(client, 'transactions', { limit: 100_000 })
    const posted = await fetch(client.url('blocks'), { method: 'POST' })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect(await posted.json()).toEqual({ error: expect.any(String), code: 405 })
  },
  'texts of bad values': (client) =>
    refused(client, 'transactions', { account: 'nobody' }, /"account".*nobody/),
  async '`_` in the query'(client) {
    const { status, headers } = await client.get('blocks', { limit: 1, _: 1790000000000 })
    expect([status, headers.get('x-ignored-parameters')]).toEqual([200, null])
  },
  async '`include_actions` of `/pendingTraces`'(client) {
    const query = { ext_msg_hash: '0'.repeat(64), include_actions: true }
    expect(await rowsOf(client, 'pendingTraces', 'traces', query)).toEqual([])
  },
  async '`exclude_account`'(client) {
    const all = await rowsOf(client, 'transactions', 'transactions', { mc_seqno: 300, limit: 1000 })
    const account = all[0]!['account'] as string
    const others = await rowsOf(client, 'transactions', 'transactions', {
      ...{ mc_seqno: 300, limit: 1000, exclude_account: account },
    })
    expect(others).toEqual(all.filter((row) => row['account'] !== account))
    const none = await rowsOf(client, 'transactions', 'transactions', { account, exclude_account: account })
    expect(none).toEqual([])
  },
  async 'order of `/blocks` without `sort`'(client) {
    const rows = await rowsOf(client, 'blocks', 'blocks', { limit: LIMIT })
    ordered(rows, (row) => [Number(row['gen_utime'])], [-1])
  },
  async 'order of transactions'(client) {
    const of = (row: Json) => [BigInt(row['lt'] as string), row['account'] as string]
    const all = await rowsOf(client, 'transactions', 'transactions', { limit: LIMIT })
    ordered<bigint | string>(all, of, [-1, 1])
    const hash = all.slice(0, 12).map((row) => row['hash'] as string)
    ordered<bigint | string>(
      await rowsOf(client, 'transactions', 'transactions', { hash, limit: 20 }),
      of,
      [-1, 1],
    )
  },
  async '`mc_seqno` with a time bound'(client) {
    const query = { mc_seqno: 300, start_utime: 1, limit: 1000 }
    const rows = await rowsOf(client, 'transactions', 'transactions', query)
    const keys = rows.map((row) => [Number(row['now']), BigInt(row['lt'] as string)] as const)
    expect(keys.length).toBeGreaterThan(1)
    expect(keys).toEqual([...keys].sort((a, b) => b[0] - a[0] || (a[1] < b[1] ? 1 : -1)))
  },
  async 'order of `/messages`'(client) {
    const rows = await rowsOf(client, 'messages', 'messages', { limit: LIMIT, exclude_externals: true })
    ordered(rows, (row) => [BigInt(row['created_lt'] as string)], [-1])
  },
  async '`/transactionsByMessage`'(client) {
    const rows = await rowsOf(client, 'transactionsByMessage', 'transactions', {
      ...{ opcode: '0x0f8a7ea5', limit: 1000 },
    })
    const hashes = rows.map((row) => row['hash'])
    expect([new Set(hashes).size, hashes.length > 20]).toEqual([hashes.length, true])
    expect(rows.filter((row) => messageOf(row) === null)).toEqual([])
  },
  async 'filters of messages on `/transactions`, of transactions on `/transactionsByMessage`'(client) {
    const read = (path: string, query: Query) => rowsOf(client, path, 'transactions', { ...query, limit: 50 })
    const opcode = '0x0f8a7ea5'
    const byMessage = await read('transactionsByMessage', { opcode })
    const { account, in_msg } = byMessage[0] as { account: string; in_msg: Json }
    expect(await read('transactions', { opcode })).toEqual(byMessage)
    const both = await read('transactions', { msg_hash: in_msg['hash'] as string, account })
    expect(both).toEqual([byMessage[0]])
    expect(await read('transactionsByMessage', { opcode, account, end_lt: 1 })).toEqual([])
    expect(await read('transactions', { msg_hash: '12'.repeat(32) })).toEqual([])
  },
  '`offset` above 100,000 where rows are merged': async (client) => {
    const query = { offset: 100_001 }
    await refused(client, 'traces', { ...query, account: WALLET }, /cursor/)
    await refused(client, 'messages', { ...query, source: WALLET, destination: WALLET }, /cursor/)
  },
  '`/adjacentTransactions` without `hash`': (client) => refused(client, 'adjacentTransactions', {}, /hash/),
  async '`index`, `opcodes`, `bodies` with commas'(client) {
    await refused(client, 'decode', { opcodes: '0x1,0x2' }, /invalid opcode format at index 0: 1,0x2/)
    const collection = raw(String(facts.nft_collections[0].address))
    await refused(client, 'nft/items', { index: '1,2', collection_address: collection })
  },
  async '`accountStates` without `address`'(client) {
    const [wallet] = await rowsOf(client, 'accountStates', 'accounts', { address: WALLET })
    const same = await rowsOf(client, 'accountStates', 'accounts', {
      code_hash: String(wallet!['code_hash']),
    })
    expect(same.map((row) => row['address'])).toContain(WALLET)
  },
  async '`comment` of a parsed order'(client) {
    const multisig = facts.multisigs.map((one: Json) => raw(String(one['address'])))
    const orders = await rowsOf(client, 'multisig/orders', 'orders', {
      ...{ multisig_address: multisig, parse_actions: true, limit: 1000 },
    })
    const bodies = orders.flatMap((order) => (order['actions'] ?? []) as Json[])
    const comments = bodies
      .filter((one) => one['parsed_body_type'] === 'ton_transfer')
      .map((one) => String((one['parsed_body'] as Json)['comment']))
    expect(comments.length).toBeGreaterThan(0)
    expect(comments.filter((text) => text.includes('\0'))).toEqual([])
  },
  async '`metadata` of tokens that were not fetched'(client) {
    const { body } = await client.get('metadata', { address: raw(String(facts.jettons[0].address)) })
    const [found] = Object.values(body) as { token_info: Json[] }[]
    expect(found!.token_info).toMatchObject([{ type: 'jetton_masters', name: expect.any(String) }])
  },
  async '`extra.decimals` of jettons whose content names none'(client) {
    const { body } = await client.get('metadata', {
      address: facts.jettons.map((one: Json) => raw(String(one['address']))),
    })
    for (const { token_info } of Object.values(body) as { token_info: { extra: Json }[] }[])
      expect(token_info[0]!.extra['decimals']).toMatch(/^\d+$/)
  },
  async 'body of `POST /decode`'(client) {
    const { body } = await client.get('decode', { opcodes: '0x0f8a7ea5' })
    for (const [type, text] of [
      ['application/x-www-form-urlencoded', 'Opcodes=0x0f8a7ea5'],
      ['text/xml', '<a><Opcodes>0x0f8a7ea5</Opcodes></a>'],
    ] as const) {
      const headers = { 'Content-Type': type }
      const reply = await fetch(client.url('decode'), { method: 'POST', headers, body: text })
      expect(await reply.json()).toEqual(body)
    }
    const post = async (form: FormData) =>
      (await (await fetch(client.url('decode'), { method: 'POST', body: form })).json()) as Json
    const form = new FormData()
    form.append('Opcodes', '0x0f8a7ea5')
    form.append('bodies', new Blob(['te6']), 'a file.boc')
    expect(await post(form)).toEqual(body)
    for (let more = 0; more < 1000; more++) form.append('opcodes', '0x1')
    expect(await post(form)).toEqual({ code: 422, error: expect.stringMatching(/opcodes list exceeds/) })
    for (let more = 0; more < 1001; more++) form.append('other', '')
    expect(await post(form)).toEqual({ code: 422, error: 'multipart: more than 2001 fields' })
    const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }
    const cut = await fetch(client.url('decode'), { method: 'POST', headers, body: '--x\r\n' })
    expect([cut.status, await cut.json()]).toEqual([
      422,
      { code: 422, error: 'multipart: Unexpected end of multipart data' },
    ])
  },
  async '`decoded` of a body of unknown layout'(client) {
    const rows = await rowsOf(client, 'messages', 'messages', { limit: LIMIT })
    const contents = rows.map((row) => row['message_content'] as Json | null)
    expect(contents.filter((one) => one?.['decoded'] === null).length).toBeGreaterThan(0)
    expect(contents.filter((one) => one && one['decoded'] === undefined)).toEqual([])
  },
  async '`account_state_before`, `account_state_after`'(client) {
    const [last] = await rowsOf(client, 'transactions', 'transactions', { account: WALLET, limit: 1 })
    expect(last!['account_state_after']).toMatchObject({ balance: expect.any(String) })
    expect(last!['account_state_before']).toMatchObject({ hash: expect.any(String) })
  },
  async '`account_state_*` of an account that does not exist'(client) {
    const rows = await rowsOf(client, 'transactions', 'transactions', {
      limit: isLong ? 1000 : 300,
      sort: 'asc',
    })
    const states = rows
      .filter((row) => row['orig_status'] === 'nonexist')
      .map((row) => row['account_state_before'] as Json)
      .filter((state) => 'balance' in state && state['balance'] !== null)
    expect(states.length).toBeGreaterThan(0)
    for (const state of states)
      expect(state).toMatchObject({ balance: '0', code_hash: null, data_hash: null, frozen_hash: null })
  },
  async '`trace_external_hash`'(client) {
    const actions = await rowsOf(client, 'actions', 'actions', { action_type: 'jetton_transfer', limit: 50 })
    expect(actions.filter((one) => typeof one['trace_external_hash'] !== 'string')).toEqual([])
    const ticks = await rowsOf(client, 'actions', 'actions', { action_type: 'tick_tock', limit: 5 })
    expect(ticks.filter((one) => 'trace_external_hash' in one)).toEqual([])
    // That of the trace is the hash of the message as it was sent, which the system sends too.
    const limit = isLong ? 100 : 40
    const traces = await rowsOf(client, 'traces', 'traces', { limit, include_actions: true })
    for (const { external_hash, trace, transactions } of traces) {
      const root = (transactions as Record<string, Json>)[String((trace as Json)['tx_hash'])]!
      expect(external_hash).toBe(messageOf(root)?.['hash'] ?? null)
    }
    expect(await rowsOf(client, 'events', 'events', { limit })).toEqual(traces)
  },
  async 'filters of `/actions` together'(client) {
    const [one] = await rowsOf(client, 'actions', 'actions', { action_type: 'jetton_transfer', limit: 1 })
    const id = { action_id: String(one!['action_id']) }
    const trace = { trace_id: String(one!['trace_id']) }
    expect(await rowsOf(client, 'actions', 'actions', { ...id, ...trace })).toHaveLength(1)
    expect(await rowsOf(client, 'actions', 'actions', { ...id, account: `0:${'0123'.repeat(16)}` })).toEqual(
      [],
    )
    const other = { mc_seqno: Number(one!['trace_mc_seqno_end']) + 1 }
    expect(await rowsOf(client, 'actions', 'actions', { ...trace, ...other })).toEqual([])
  },
  async '`include_transactions` of `/actions`'(client) {
    const query = { include_transactions: true, limit: isLong ? 200 : 60 }
    for (const action of await rowsOf(client, 'actions', 'actions', query))
      expect((action['transactions_full'] as Json[]).length).toBe((action['transactions'] as []).length)
  },
  async 'addresses of `/actions` in `address_book` and `metadata`'(client) {
    const query = { limit: 200, include_accounts: true, exclude_action_type: 'ton_transfer' }
    const { body } = await client.get('actions', query)
    const book = body['address_book'] as Json
    const shown = (body['actions'] as Json[]).flatMap(({ details, accounts }) => [details, accounts])
    const named = JSON.stringify(shown).match(/(?<=")-?\d:[0-9A-F]{64}(?=")/g)!
    expect(named.filter((address) => !(address in book))).toEqual([])
    expect(named.length).toBeGreaterThan(100)
  },
  async '`classification_state` of `/traces`'(client) {
    const states = (await rowsOf(client, 'traces', 'traces', { limit: isLong ? 200 : 50 })).map(
      (row) => (row['trace_info'] as Json)['classification_state'],
    )
    expect(new Set(states)).toEqual(new Set(['ok']))
  },
  async 'a trace node with logs and no children'(client) {
    const nodes = (node: Json): Json[] => [node, ...(node['children'] as Json[]).flatMap(nodes)]
    const traces = await rowsOf(client, 'traces', 'traces', { limit: isLong ? 200 : 50 })
    for (const trace of traces)
      for (const node of nodes(trace['trace'] as Json)) expect(Array.isArray(node['children'])).toBe(true)
  },
  async '`interfaces` of an address'(client) {
    const { body } = await client.get('addressBook', { address: [WALLET, `0:${'0123'.repeat(16)}`] })
    for (const { interfaces } of Object.values(body) as { interfaces: unknown }[])
      expect(Array.isArray(interfaces)).toBe(true)
  },
  async '`extra_flags`, `ihr_fee`'(client) {
    const rows = await rowsOf(client, 'messages', 'messages', { limit: 50, exclude_externals: true })
    expect(rows.filter((row) => !('extra_flags' in row && 'ihr_fee' in row))).toEqual([])
  },
  async 'body of a message'(client) {
    const rows = await rowsOf(client, 'messages', 'messages', { limit: 100 })
    const bodies = rows.flatMap((row) => (row['message_content'] as Json | null)?.['body'] ?? [])
    expect(bodies.length).toBeGreaterThan(10)
    for (const body of bodies) expect(body).toMatch(/^te6cc/)
  },
  async '`masterchainInfo.first`'(client) {
    const { body } = await client.get('masterchainInfo')
    expect([(body['first'] as Json)['seqno'], (body['last'] as Json)['seqno']]).toEqual([1, 529])
  },
  async '`X-API-Version`'(client) {
    expect((await client.get('masterchainInfo')).headers.get('x-api-version')).toMatch(/^\d+\.\d+\.\d+$/)
  },
  async '`Server-Timing`'(client) {
    expect((await client.get('masterchainInfo')).headers.get('server-timing')).toMatch(/^app;dur=[\d.]+$/)
  },
  async 'unprefixed decimal `opcode` above 2147483647'(client) {
    const decimal = await client.get('messages', { opcode: 0xd53276db, limit: 20 })
    expect(decimal.status).toBe(200)
    expect(decimal.body).toEqual((await client.get('messages', { opcode: '0xd53276db', limit: 20 })).body)
    expect((decimal.body['messages'] as Json[]).length).toBeGreaterThan(0)
  },
  async '`HEAD`, `OPTIONS`, CORS'(client) {
    const url = client.url('masterchainInfo')
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, head.headers.get('access-control-allow-origin'), await head.text()]).toEqual([
      ...[200, '*', ''],
    ])
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'GET' }
    expect((await fetch(url, { method: 'OPTIONS', headers })).ok).toBe(true)
  },
}

const LIFE_CYCLE = 'apps/api/test/pending/life-cycle.int.test.ts'
const METADATA = 'apps/api/test/metadata.int.test.ts'
const BALANCES = 'apps/api/test/balances.int.test.ts'

/**
 * What no request over the sample shows, with the file and the title of the test of the code that both
 * profiles share.
 */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'masters, collections and multisigs without a transaction in what is indexed': [
    'packages/contract-indexer/test/untouched.int.test.ts',
    'from the middle of the chain on, %s.%s is one of %s',
  ],
  'actions for clients that name no version, or `latest`': [
    'packages/actions/test/api.test.ts',
    'a client of v5 gets the types of v4 and what v5 adds, one that names no version those of v4',
  ],
  'replies of more than `MAX_REPLY_MIB` (64)': [
    'apps/api/test/traces.int.test.ts',
    'a page that would be too large is refused with what to leave out',
  ],
  'headers of more than 8,192 characters, queries of more than 10,000 values': [
    'apps/api/src/http/request-pieces.test.ts',
    'a header that is too long is refused by name, and a query of too many values',
  ],
  '`nft_item` of a Telegram item in `/nft/sales`': [
    'apps/api/test/contracts/token-facts.ts',
    'nft/sales returns a Telegram item as its own sale, with the known data of the auction',
  ],
  '`wallet_id` and `is_signature_allowed` of `wallet v5 beta`': [
    'packages/contracts/src/wallets/wallet-state.test.ts',
    'wallet v5 beta has a 33-bit seqno and an 80-bit id',
  ],
  '`metadata` of tokens whose fetch failed': [
    METADATA,
    'fetched metadata is shown, failures are marked invalid, and flags hide images',
  ],
  'image of a token with `is_nsfw`': [
    METADATA,
    'an image proxy gives three signed sizes; a flagged image is blurred, without source',
  ],
  'body of `POST /message`, `/estimateFee`, `/runGetMethod`': [
    'apps/api/test/v2/legacy.test.ts',
    '%s answers as for JSON',
  ],
  'traces that are not complete': [
    'apps/api/test/indexed-states.int.test.ts',
    'a trace that is not complete is found by its hashes with its state, and is in no list',
  ],
  '`/balanceChanges`': [
    'apps/api/test/actions.int.test.ts',
    'changes less fees of all traces are the difference of balances',
  ],
  '`details.marketplace`': [
    'apps/api/test/actions.int.test.ts',
    'a marketplace has the name that the operator gave its address',
  ],
  'traces that began before the first indexed block, or span more blocks than the assembler keeps': [
    'packages/traces/test/chain.test.ts',
    'a start in the middle leaves broken traces that are repaired when earlier blocks arrive',
  ],
  '`/balances`, `/balanceHistory`, `/jettonHolders`': [
    BALANCES,
    'the newest balances are those of the account states and of the jetton wallets',
  ],
  'confirmed data': [
    'apps/api/test/streaming/streaming.int.test.ts',
    'every event type comes over both transports, final or `confirmed`, as the tables have it',
  ],
  'order of pending endpoints': [
    LIFE_CYCLE,
    'a transfer is pending, begins and ends, always pending or in the lists, whoever dies',
  ],
  'pending traces': [LIFE_CYCLE, 'two messages with one seqno are both pending'],
  '`/pendingTransactions?trace_id=`': [
    LIFE_CYCLE,
    'a transfer is pending, begins and ends, always pending or in the lists, whoever dies',
  ],
  '`is_incomplete` of `/pendingTraces`': [
    LIFE_CYCLE,
    'a transfer is pending, begins and ends, always pending or in the lists, whoever dies',
  ],
  'messages that a change of their receiver made wrong': [
    LIFE_CYCLE,
    'the message that came too late is invalidated, once, for those who had received it',
  ],
  'compressed bodies': [
    'apps/api/src/http/read-body.test.ts',
    'a body that is too large when it is inflated is refused, one of just the size is not',
  ],
  'query timeout': [
    'apps/api/test/http.int.test.ts',
    'a statement that takes too long gives a stable text, and its connection stays usable',
  ],
  'accounts that are no longer jetton wallets or NFT items, or no longer exist': [
    'apps/ingest/test/contract-states.int.test.ts',
    'events of a deleted wallet belong to its jetton; those of a former wallet are unlisted',
  ],
  'wallets, items and orders whose master, collection or multisig was deployed or changed later': [
    'apps/ingest/test/contract-states.int.test.ts',
    'a wallet is examined again when its master appears or changes, but not when it mints',
  ],
  'amounts of mintless jettons': [
    'apps/api/test/contracts/mintless-rules.ts',
    'jetton/wallets: empty wallets are excluded on request unless an airdrop can be claimed',
  ],
  'transfers and burns of wallets, and transfers of items, that no longer exist': [
    'apps/ingest/test/contracts.int.test.ts',
    'every transfer and burn of a wallet and transfer of an item is present and confirmed',
  ],
  'clock of get-methods': ['apps/ingest/test/contracts.int.test.ts', 'the tables are the same with blocks '],
  "detection over a node's archive": [
    'apps/ingest/test/contract-states.int.test.ts',
    'what their blocks have is found, what they do not have is set aside, nothing waits; the rest of the ',
  ],
}

const ROOT = new URL('../../../', import.meta.url)
const page = readFileSync(new URL('docs/compatibility-v3.md', ROOT), 'utf8')
const subjects = [...page.matchAll(/^\| (?!subject \|)(.+?) \|/gm)].map(([, subject]) => subject!)

test('every row of both profiles has a request here or a test elsewhere, and nothing else has', () => {
  expect([...Object.keys(SEEN), ...Object.keys(ELSEWHERE)].sort()).toEqual([...subjects].sort())
  // A test's title, written as such: `test('…'`, or `test(` and then the title on a line of its own.
  const hasTest = ([file, title]: readonly [string, string]): boolean =>
    [
      ...readFileSync(new URL(file, ROOT), 'utf8').matchAll(/\btest(?:\.\w+(?:\([^)]*\))?)?\(\s*(['"`])/g),
    ].some(({ index, 0: { length }, input }) => input.startsWith(title, index + length))
  expect(Object.entries(ELSEWHERE).filter(([, one]) => !hasTest(one))).toEqual([])
})

describe.each(PROFILES)('profile %s', (profile) => {
  test.each(Object.keys(SEEN))(
    '%s',
    async (subject) => {
      await SEEN[subject]!(clients.of(profile))
    },
    60_000,
  )
})
