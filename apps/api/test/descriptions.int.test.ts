import { ACTION_DETAILS, PROFILES, profileRules } from '@shardwalk/api-schema'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { v3Examples } from '../src/examples.ts'
import { verbOf } from '../src/http/route.ts'
import { INDEX_ROUTES, V3_ROUTES } from '../src/v3/routes/index.ts'
import type { Json, Query } from './client.ts'
import { ChainUnderApi, facts, raw } from './contracts/chain-under-api.ts'

/** What generators of clients read: OpenAPI and Swagger 2.0, and whether replies are as declared. */
let chain: ChainUnderApi
beforeAll(async () => {
  chain = await ChainUnderApi.start()
})
afterAll(() => chain?.close())

/** Traces, and actions with their transactions, that are compared with what is declared. */
const MANY = isLong ? 100 : 40

/** Names of TON Center's description; endpoints that it lacks follow the same rule. */
const OPERATION_IDS: Readonly<Record<string, string>> = {
  'GET accountStates': 'api_v3_get_account_states',
  'GET actions': 'api_v3_get_actions',
  'GET addressBook': 'api_v3_get_address_book',
  'GET addressInformation': 'api_v3_get_v2_addressInformation',
  'GET adjacentTransactions': 'api_v3_get_adjacent_transactions',
  'GET blocks': 'api_v3_get_blocks',
  'GET decode': 'api_v3_get_decode',
  'POST decode': 'api_v3_post_decode',
  'GET dns/records': 'api_v3_get_dns_records',
  'POST estimateFee': 'api_v3_post_v2_estimate_fee',
  'GET jetton/burns': 'api_v3_get_jetton_burns',
  'GET jetton/masters': 'api_v3_get_jetton_masters',
  'GET jetton/transfers': 'api_v3_get_jetton_transfers',
  'GET jetton/wallets': 'api_v3_get_jetton_wallets',
  'GET masterchainBlockShardState': 'api_v3_get_masterchainBlockShardState',
  'GET masterchainBlockShards': 'api_v3_get_masterchainBlockShards',
  'GET masterchainInfo': 'api_v3_get_masterchain_info',
  'POST message': 'api_v3_post_v2_message',
  'GET messages': 'api_v3_get_messages',
  'GET metadata': 'api_v3_get_metadata',
  'GET multisig/orders': 'api_v3_get_multisig_orders',
  'GET multisig/wallets': 'api_v3_get_multisig_wallets',
  'GET nft/collections': 'api_v3_get_nft_collections',
  'GET nft/items': 'api_v3_get_nft_items',
  'GET nft/transfers': 'api_v3_get_nft_transfers',
  'POST runGetMethod': 'api_v3_post_v2_rungetmethod',
  'GET topAccountsByBalance': 'api_v3_get_top_accounts_by_balance',
  'GET traces': 'api_v3_get_traces',
  'GET transactions': 'api_v3_get_transactions',
  'GET transactionsByMasterchainBlock': 'api_v3_get_transactions_by_masterchain_block',
  'GET transactionsByMessage': 'api_v3_get_transactions_by_message',
  'GET vesting': 'api_v3_get_vesting_contracts',
  'GET walletInformation': 'api_v3_get_wallet_information',
  'GET walletStates': 'api_v3_get_wallet_states',
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Json[]
  readonly responses: Readonly<Record<string, { readonly content?: Json; readonly schema?: Json }>>
}

interface Described extends Json {
  readonly components: { readonly schemas: Json }
}

interface Description extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const operationsOf = ({ paths }: Description): [string, Operation][] =>
  Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]): [string, Operation] => [
      `${verb.toUpperCase()} ${path.replace('/api/v3/', '')}`,
      operation,
    ]),
  )

/** Every object within a value, with the keys that lead to it. */
function* objectsIn(value: unknown, path = ''): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value as Json]
  for (const [key, item] of Object.entries(value)) yield* objectsIn(item, `${path}/${key}`)
}

describe.each(PROFILES)('descriptions of profile %s', (profile) => {
  const read = async (path: string) => (await chain.clients[profile].get<Description>(path)).body

  test('operations have the names that TON Center gives them, each its own', async () => {
    const operations = new Map(operationsOf(await read('openapi.json')))
    for (const [name, id] of Object.entries(OPERATION_IDS)) expect(operations.get(name)?.operationId).toBe(id)
    const ids = [...operations.values()].map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^api_v3_(get|post)_\w+$/.test(id))).toEqual([])
  })

  test.each(['/api/v3/openapi.json', '/api/v2/openapi.json'])(
    'every property in %s is described',
    async (path) => {
      const { components } = (await chain.clients[profile].get<Described>(path)).body
      const silent = [...objectsIn(components.schemas)].flatMap(([at, { properties }]) =>
        Object.entries((at.endsWith('/properties') ? {} : (properties as Json | undefined)) ?? {})
          .filter(([, schema]) => !(schema as Json)['description'])
          .map(([name]) => `${at}.${name}`),
      )
      expect(silent).toEqual([])
      expect(Object.keys(components.schemas).length).toBeGreaterThan(80)
    },
  )

  test.each(['/api/v3/openapi.json', '/api/v2/openapi.json'])(
    'every reply in %s has an example',
    async (path) => {
      const { body } = await chain.clients[profile].get<Description>(path)
      const without = operationsOf(body).filter(([name, { responses }]) => {
        const [media] = Object.values(responses['200']!.content!) as [Json]
        return media['example'] === undefined && !name.endsWith('jsonRPC')
      })
      expect(without.map(([name]) => name)).toEqual([])
    },
  )

  test('examples are as the profile declares replies', () => {
    const examples = v3Examples(profileRules(profile))
    const wrong = V3_ROUTES.flatMap((route) => {
      const name = `${verbOf(route)} ${route.path.replace('/api/v3/', '')}`
      const { error } = route.reply(profileRules(profile)).safeParse(examples[name])
      return error ? [[name, error.issues.slice(0, 2)]] : []
    })
    expect(wrong).toEqual([])
  })

  test('an action is one of its types, which `type` selects', async () => {
    const { components } = (await read('openapi.json')) as unknown as Described
    const { oneOf, discriminator } = components.schemas['Action'] as {
      oneOf: { $ref: string }[]
      discriminator: { propertyName: string; mapping: Record<string, string> }
    }
    expect(discriminator.propertyName).toBe('type')
    expect(Object.keys(discriminator.mapping).sort()).toEqual(Object.keys(ACTION_DETAILS).sort())
    expect(oneOf.map(({ $ref }) => $ref)).toEqual(Object.values(discriminator.mapping))
  })

  test('the header that says where an export ends is described', async () => {
    const { paths } = await read('openapi.json')
    const { responses } = paths['/api/v3/export/blocks']!['get']!
    expect(responses['200']).toMatchObject({
      headers: { 'X-Export-Max-Rows': { schema: { type: 'integer' } } },
    })
  })

  test('a reply is JSON of one schema, nothing else; exports are operations of their own', async () => {
    const operations = operationsOf(await read('openapi.json'))
    const [exports, replies] = [true, false].map((one) =>
      operations.filter(([name]) => name.startsWith('GET export/') === one),
    ) as [typeof operations, typeof operations]
    for (const [name, { responses }] of replies)
      expect(Object.keys(responses['200']!.content!), name).toEqual(['application/json'])
    for (const [name, { responses }] of exports)
      expect(Object.keys(responses['200']!.content!), name).toEqual(['application/x-ndjson', 'text/csv'])
    const lists = V3_ROUTES.filter((route) => route.kind === 'list' && !route.deprecated)
    expect(exports.map(([name]) => name)).toEqual(
      lists.map(({ path }) => path.replace('/api/v3/', 'GET export/')),
    )
  })

  test('doc.json is Swagger 2.0: no keyword that it lacks, every reference resolves', async () => {
    const swagger = await read('doc.json')
    expect(swagger['swagger']).toBe('2.0')
    const operations = operationsOf(swagger)
    expect(operations.map(([name]) => name)).toEqual(
      operationsOf(await read('openapi.json')).map(([name]) => name),
    )
    for (const [name, { parameters = [], responses }] of operations) {
      expect(responses['200']?.schema, name).toBeDefined()
      for (const parameter of parameters)
        expect(parameter['in'] === 'body' ? 'schema' in parameter : 'type' in parameter, name).toBe(true)
    }
    const definitions = swagger['definitions'] as Json
    for (const [path, object] of objectsIn(swagger)) {
      if (path.endsWith('/properties')) continue
      expect([object['anyOf'], object['const'], object['propertyNames']], path).toEqual(Array(3))
      if ('type' in object && !path.endsWith('/properties/type'))
        expect(typeof object['type'], path).toBe('string')
      const reference = object['$ref'] as string | undefined
      if (reference) expect(definitions, path).toHaveProperty(reference.replace('#/definitions/', ''))
    }
  })

  test('replies of every endpoint are as declared, with no other key', async () => {
    const client = chain.clients[profile]
    const traces = (await client.get('traces', { limit: MANY })).body['traces'] as {
      readonly trace_id: string
      readonly transactions_order: readonly string[]
    }[]
    const long = traces.find((trace) => trace.transactions_order.length > 1)!
    const addresses = (list: readonly Json[]) => list.map((one) => raw(String(one['address'])))
    const accounts = Object.keys(facts.accounts)
      .map(raw)
      .slice(0, isLong ? 200 : 80)
    const owner = facts.dns.items.find((one: Json) => one['owner']).owner
    const leader = facts.dns.items.find((one: Json) => one['domain'] === 'release-scenario').auction
      .max_bid_address
    const queries: Readonly<Record<string, Query>> = {
      masterchainBlockShardState: { seqno: 100 },
      masterchainBlockShards: { seqno: 100 },
      transactionsByMasterchainBlock: { seqno: 100 },
      transactionsByMessage: { opcode: '0x0f8a7ea5' },
      adjacentTransactions: { hash: long.trace_id },
      balanceChanges: { trace_id: long.trace_id },
      balances: { address: accounts.slice(0, 100), mc_seqno: 300 },
      balanceHistory: { address: accounts[0]!, resolution: 'hour' },
      jettonHolders: { jetton: addresses(facts.jettons)[0]! },
      accountStates: { address: accounts },
      walletStates: { address: accounts },
      addressBook: { address: [...accounts, 'no address'] },
      metadata: { address: [...addresses(facts.jettons), ...addresses(facts.nft_items)] },
      traces: { include_actions: true, limit: MANY },
      actions: { include_accounts: true, include_transactions: true, limit: MANY },
      decode: { opcodes: ['0x0f8a7ea5', '0x1'], bodies: ['te6cckEBAQEAAgAAAEysuc0='] },
      'nft/sales': { address: addresses(facts.nft_sales) },
      'dns/records': { wallet: owner },
      'dns/activeAuctions': { bidder: leader, include_nft_items: true },
      vesting: { contract_address: addresses(facts.vesting) },
      'multisig/wallets': { address: addresses(facts.multisigs) },
      'multisig/orders': { multisig_address: addresses(facts.multisigs), parse_actions: true },
    }
    const wrong: unknown[] = []
    for (const route of INDEX_ROUTES) {
      const path = route.path.replace('/api/v3/', '')
      const all = 'limit' in route.query.shape ? { limit: isLong ? 1000 : 100 } : {}
      const { status, body } = await client.get(path, queries[path] ?? all)
      const checked = route.reply(profileRules(profile)).safeParse(body)
      if (status !== 200 || checked.error) wrong.push([path, status, checked.error?.issues.slice(0, 2)])
    }
    expect(wrong).toEqual([])
  })
})

test('every route is described once', () => {
  const names = V3_ROUTES.map((route) => `${route.body ? 'POST' : 'GET'} ${route.path}`)
  expect(new Set(names).size).toBe(names.length)
})
