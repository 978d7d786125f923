import { readFileSync } from 'node:fs'
import { keepPlans } from '@shardwalk/queries'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operationsOf } from './attack/hostile-requests.ts'
import type { Json } from './client.ts'
import { facts, raw } from './contracts/chain-under-api.ts'
import { exampleQueries, MESSAGE } from './example-queries.ts'
import { exampleRequests } from './v2/example-requests.ts'
import { type RunningApi, startApi, warmUp } from './v2/running-api.ts'

// Every operation of TON Center's own descriptions is sent with each of its parameters, in the profile that
// refuses what it does not know.

type Operations = Readonly<
  Record<string, { readonly parameters: readonly string[]; readonly body?: readonly string[] }>
>
const REFERENCE: { readonly v3: Operations; readonly v2: Operations } = JSON.parse(
  readFileSync(new URL('../../../fixtures/toncenter/operations.json', import.meta.url), 'utf8'),
)

const WALLET = '0:8D45B59C3C3AA082746777093179B3194C73F5BE118BB99761E4BA189A79C53E'
const ZERO_HASH = '00'.repeat(32)

let scratch: ScratchDatabase
let api: RunningApi
beforeAll(async () => {
  scratch = await classifiedChain()
  api = await startApi([{}], { db: keepPlans(scratch.pool) })
  await warmUp(api)
})
afterAll(async () => {
  await api?.close()
  await scratch?.close()
})

type Values = Readonly<Record<string, unknown>>

async function ask(path: string, query: Values, body?: Values): Promise<{ status: number; body: Json }> {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) search.append(name, String(one))
  const reply = await fetch(`${api.base.replace('/api/v2', '')}${path}?${search}`, {
    ...(body && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  // An export is not JSON, and some replies are empty.
  const isJson = reply.headers.get('content-type')?.startsWith('application/json')
  const text = await reply.text()
  return { status: reply.status, body: (isJson ? JSON.parse(text) : {}) as Json }
}

/** Values by parameter; those that need another one bring it along. */
const v3Values = (): Readonly<Record<string, Values>> => ({
  shard: { workchain: 0, shard: '8000000000000000' },
  seqno: { workchain: -1, shard: '8000000000000000', seqno: 100 },
  root_hash: { root_hash: ZERO_HASH },
  mc_seqno: { mc_seqno: 100 },
  index: { index: 0, collection_address: raw(String(facts.nft_collections[0].address)) },
  check_whitelist: { check_whitelist: true, wallet_address: WALLET },
  opcode: { opcode: '0x0f8a7ea5' },
  domain: { domain: 'test.ton' },
  direction: { direction: 'in' },
  sort: { sort: 'desc' },
  limit: { limit: 1 },
  offset: { offset: 0 },
  workchain: { workchain: 0 },
  start_utime: { start_utime: 1 },
  end_utime: { end_utime: 2_000_000_000 },
  start_lt: { start_lt: 1 },
  end_lt: { end_lt: '99999999999999' },
  lt: { lt: 5 },
  action_type: { action_type: 'jetton_transfer' },
  exclude_action_type: { exclude_action_type: 'jetton_transfer' },
  supported_action_types: { supported_action_types: 'v1' },
  bodies: { bodies: 'te6cckEBAQEAAgAAAEysuc0=' },
  opcodes: { opcodes: '0x1' },
})

const isFlag = (name: string): boolean =>
  /^(include_|exclude_(zero|externals)|only_|parse_|use_v2|sort_by)/.test(name)

const v3Value = (name: string): Values =>
  v3Values()[name] ?? {
    [name]: isFlag(name) ? true : name.endsWith('hash') || name.endsWith('_id') ? ZERO_HASH : WALLET,
  }

test('every operation of API v3 takes every parameter that TON Center describes', async () => {
  const queries = await exampleQueries(async (path, query) => (await ask(`/api/v3/${path}`, query)).body)
  const problems: unknown[] = []
  let tried = 0
  for (const [name, { parameters, body }] of Object.entries(REFERENCE.v3)) {
    const [verb = '', path = ''] = name.split(' ')
    const short = path.replace('/api/v3/', '')
    const base = queries[`${verb} ${short}`] ?? {}
    if (verb === 'post') {
      for (const member of body ?? []) {
        const reply = await ask(path, {}, { ...(base.body as Values), ...memberOf(member, base.body) })
        tried++
        if (reply.status !== 200) problems.push([name, member, reply])
      }
      continue
    }
    for (const parameter of parameters) {
      // What only one of may be given stands alone.
      const own = v3Value(parameter)
      const isNamed = base.query?.[parameter] !== undefined
      const attempts = [{ ...base.query, ...own }, own, ...(isNamed ? [{ ...base.query }] : [])]
      const errors: unknown[] = []
      for (const query of attempts) {
        const { status, body } = await ask(path, query)
        if (status === 200 || status === 404) break
        errors.push(body['error'])
      }
      tried++
      if (errors.length === attempts.length) problems.push([name, parameter, errors])
    }
  }
  expect(problems).toEqual([])
  expect(tried).toBe(199)
  expect(Object.keys(REFERENCE.v3).length).toBe(37)
})

const EMPTY = 'te6cckEBAQEAAgAAAEysuc0='

/** A member of a posted body: that of the example, or one that is beside it. Throws if it is unknown. */
function memberOf(member: string, example: unknown): Values {
  if (member in (example as Values)) return { [member]: (example as Values)[member] }
  if (['init_code', 'init_data'].includes(member)) return { init_code: EMPTY, init_data: EMPTY }
  throw new Error(`no value for ${member}`)
}

const BLOCK = { workchain: -1, shard: '-9223372036854775808', seqno: 100 }
/** A block in which the wallet has a recent state. */
const RECENT = { seqno: 529 }

/** From the sample: a delivered message, the last transaction of the wallet, and the hashes of `BLOCK`. */
interface Known {
  readonly message: Values
  readonly last: { readonly lt: string; readonly hash: string }
  readonly hashes: { readonly root_hash: string; readonly file_hash: string }
}

async function readKnown(): Promise<Known> {
  const { body: found } = await ask('/api/v2/getTransactions', { address: WALLET, limit: 1 })
  const [transaction] = found['result'] as { transaction_id: Known['last'] }[]
  const { lt, hash } = transaction!.transaction_id
  const { body: header } = await ask('/api/v2/lookupBlock', BLOCK)
  const { root_hash, file_hash } = header['result'] as Known['hashes']
  const located = (['tryLocateResultTx', 'tryLocateSourceTx'] as const).flatMap(exampleRequests)
  const message = located.find(({ query }) => query)!.query as Values
  return { message, last: { lt, hash }, hashes: { root_hash, file_hash } }
}

/** What a method is never sent without. Methods that are not listed need a block, the wallet or nothing. */
const v2Bases = ({ message }: Known): Readonly<Record<string, Values>> => ({
  tryLocateTx: message,
  tryLocateResultTx: message,
  tryLocateSourceTx: message,
  getTokenData: { address: facts.jettons[0].address },
  lookupBlock: { workchain: -1, shard: BLOCK.shard },
  detectHash: { hash: ZERO_HASH },
  getConfigParam: { config_id: 0 },
  getLibraries: { libraries: ZERO_HASH },
  getShards: RECENT,
  sendBoc: { boc: MESSAGE },
  sendBocReturnHash: { boc: MESSAGE },
  estimateFee: { address: WALLET, body: EMPTY },
  runGetMethod: { address: WALLET, method: 'seqno', stack: [] },
  runGetMethodStd: { address: WALLET, method: 'seqno', stack: [] },
  jsonRPC: { method: 'getMasterchainInfo' },
})

/** Values by parameter; those that need another one bring it along. */
const v2Values = ({ last, hashes }: Known): Readonly<Record<string, Values>> => ({
  workchain: { workchain: BLOCK.workchain },
  shard: { shard: BLOCK.shard },
  seqno: RECENT,
  root_hash: hashes,
  file_hash: hashes,
  after_lt: { after_lt: 1, after_hash: ZERO_HASH },
  after_hash: { after_lt: 1, after_hash: ZERO_HASH },
  count: { count: 5 },
  limit: { limit: 1 },
  lt: last,
  hash: last,
  to_lt: { to_lt: 1 },
  archival: { archival: true },
  from_seqno: { from_seqno: 200 },
  unixtime: { unixtime: 1_795_261_700 },
  init_code: { init_code: EMPTY, init_data: EMPTY },
  init_data: { init_code: EMPTY, init_data: EMPTY },
  ignore_chksig: { ignore_chksig: true },
  jsonrpc: { jsonrpc: '2.0' },
  id: { id: '1' },
  params: { params: {} },
})

/** A request of the method that has the parameter. */
function v2Request(
  method: string,
  parameter: string,
  { parameters, known }: { readonly parameters: readonly string[]; readonly known: Known },
): Values {
  const base = v2Bases(known)[method]
  const value = v2Values(known)[parameter]
  // One of three names the block.
  if (method === 'lookupBlock' && parameter === 'lt') return { ...base, lt: known.last.lt }
  if (method === 'lookupBlock' && parameter === 'unixtime') return { ...base, ...value }
  if (method === 'lookupBlock') return { ...base, ...value, seqno: BLOCK.seqno }
  if (method === 'detectHash') return base!
  if (method === 'getMasterchainBlockSignatures') return { seqno: BLOCK.seqno }
  if (base) return { ...base, ...value }
  if (parameters.includes('workchain')) return { ...BLOCK, ...value, seqno: BLOCK.seqno }
  return { ...(parameters.includes('address') && { address: WALLET }), ...value }
}

test('every method of API v2 takes every parameter that TON Center describes', async () => {
  const known = await readKnown()
  const problems: unknown[] = []
  let tried = 0
  for (const [name, { parameters, body }] of Object.entries(REFERENCE.v2)) {
    const [verb = '', path = ''] = name.split(' ')
    const method = path.replace('/api/v2/', '')
    for (const parameter of body ?? parameters) {
      const given = v2Request(method, parameter, { parameters, known })
      const reply = verb === 'post' ? await ask(path, {}, given) : await ask(path, given)
      tried++
      if (reply.status !== 200) problems.push([name, parameter, given, reply.status, reply.body])
      if (method === 'jsonRPC') continue
      const params = method === 'getLibraries' ? { libraries: [ZERO_HASH] } : given
      const called = await ask('/api/v2/jsonRPC', {}, { method, params })
      if (called.status !== reply.status) problems.push([name, parameter, 'by JSON-RPC', called])
    }
    // Without parameters there was nothing to try.
    if ((body ?? parameters).length > 0) continue
    const replies = [await ask(path, {}), await ask('/api/v2/jsonRPC', {}, { method, params: {} })]
    if (replies.some(({ status }) => status !== 200)) problems.push([name, replies])
  }
  expect(problems).toEqual([])
  expect([Object.keys(REFERENCE.v2).length, tried]).toEqual([34, 91])
})

const ELSEWHERE = `5:${'ab'.repeat(32)}`
/** Places that do not exist, by parameter; addresses are recognised by their names. */
const NOWHERE: Readonly<Record<string, readonly Values[]>> = {
  workchain: [{ workchain: 5 }, { workchain: -2_147_483_648 }],
  shard: [
    { workchain: 5, shard: '8000000000000000' },
    { workchain: 0, shard: '1' },
    { workchain: -1, shard: '4000000000000000' },
  ],
}
const isAddress = (name: string): boolean =>
  /(^|_)(address|account|owner|wallet|source|destination|jetton|master)(_|$)/.test(name)
const nowhere = (name: string): readonly Values[] =>
  NOWHERE[name] ??
  (isAddress(name) && !/^(check|sort|include|only)_/.test(name) ? [{ [name]: ELSEWHERE }] : [])

/** Unless tests are long, each parameter has one of its values, another one every time. */
const oneOf = (values: readonly Values[], turn: number): readonly Values[] =>
  isLong ? values : values.filter((_, index) => index === turn % values.length)

/** How lite servers, and API v2 of TON Center, say that a block does not exist: as 500. */
const NO_SUCH_BLOCK =
  /^(lookup from block error: )?LITE_SERVER_NOTREADY: cannot find block|^from mc block is too old/

test('an unknown workchain is never an error of ours: routes know nothing there, or refuse it', async () => {
  const queries = await exampleQueries(async (path, query) => (await ask(`/api/v3/${path}`, query)).body)
  const problems: unknown[] = []
  let tried = 0
  let places = 0
  for (const version of ['v3', 'v2'] as const) {
    const { body: document } = await ask(`/api/${version}/openapi.json`, {})
    for (const { verb, path, parameters } of operationsOf(document)) {
      const short = path.replace(`/api/${version}/`, '')
      const example =
        version === 'v3'
          ? queries[`${verb.toLowerCase()} ${short}`]
          : exampleRequests(short as Parameters<typeof exampleRequests>[0])[0]
      const given: Values = {
        ...example?.query,
        ...(typeof example?.body === 'string' ? JSON.parse(example.body) : (example?.body as Values)),
      }
      for (const own of parameters.flatMap((name) => oneOf(nowhere(name), places++))) {
        const values = { ...given, ...own }
        const reply = verb === 'POST' ? await ask(path, {}, values) : await ask(path, values)
        tried++
        const isBlock =
          version === 'v2' && 'shard' in values && NO_SUCH_BLOCK.test(String(reply.body['error']))
        if (reply.status >= 500 && !isBlock) problems.push([verb, path, values, reply.status, reply.body])
      }
    }
  }
  expect(problems).toEqual([])
  expect(tried).toBeGreaterThan(100)
})
