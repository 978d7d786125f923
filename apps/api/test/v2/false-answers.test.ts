import { V2_METHODS } from '@shardwalk/api-schema'
import { Builder, serializeBoc } from '@shardwalk/cells'
import { LiteServerError, WrongAnswer } from '@shardwalk/liteserver'
import type { BlockLink } from '@shardwalk/proofs'
import { isLong } from '@shardwalk/testkit/runs'
import type { LiteFunctionName, LiteResults } from '@shardwalk/tl'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

const WALLET = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'
const NOBODY = '0:bcc5fc44c1b638c5270bb96b429dadc5ad4bf0678fd23a80893fdc192338fa3b'
const JETTON = '0:ffaad08a85a2637aa7a61bd4c7f699822e73e98f3d142d593cc7e940ee5a1a57'
const DNS_ROOT = '-1:ed0bac70177f8e15488bb68b5a7ca6ebf08a5d575b1100e871e22ee55e9b8f53'
/** A library that the last block of the sample publishes. */
const LIBRARY = 'j0Utek39dAZraCNlF3JZ7QVzRDW+drX9S9XYryt8PWg='
const EMPTY_CELL = 'te6cckEBAQEAAgAAAEysuc0='
const SHARD = '-9223372036854775808'
/** Code that reads the previous blocks (PREVMCBLOCKS; ACCEPT), so that they are fetched. */
const READS_BLOCKS = serializeBoc(
  new Builder().storeBytes(Buffer.from('f83400f800', 'hex')).endCell(),
).toString('base64')

let api: RunningApi
/** One server, for tests that need no second one. */
let shared: RunningApi
beforeAll(async () => {
  shared = await startApi()
  api = shared
  await warmUp(api)
})
afterEach(async () => {
  if (api !== shared) await api.close()
  api = shared
})
afterAll(() => shared.close())

interface Reply {
  readonly status: number
  readonly body: { readonly result?: unknown; readonly error?: string }
}

const ask = async (path: string, { base } = api): Promise<Reply> => {
  const reply = await fetch(`${base}/${path}`)
  return { status: reply.status, body: (await reply.json()) as Reply['body'] }
}

async function get(method: string, params: object): Promise<Reply> {
  const reply = await fetch(`${api.base}/jsonRPC`, {
    method: 'POST',
    body: JSON.stringify({ method, params }),
  })
  return { status: reply.status, body: (await reply.json()) as Reply['body'] }
}

type Forge<N extends LiteFunctionName> = (value: LiteResults[N]) => Partial<LiteResults[N]>

/**
 * While `work` runs, the only server forges its answers to one function; with `alsoTruth` another server
 * answers correctly after it. Returns the errors about the forged answers.
 */
async function whileForged<N extends LiteFunctionName>(
  { name, change, alsoTruth }: { name: N; change: Forge<N>; alsoTruth: boolean },
  work: () => Promise<void>,
): Promise<readonly (string | undefined)[]> {
  const problems: (string | undefined)[] = []
  const { pool } = api
  const queryFrom = pool.queryFrom.bind(pool)
  type Options = { check?: (value: LiteResults[N]) => string | undefined }
  const forge = async (asked: N, args: never, options: Options) => {
    if (asked !== name || !options.check) return queryFrom(asked, args, options as never)
    const { check, ...rest } = options
    const answer = await queryFrom(asked, args, rest as never)
    const changes = change(answer.value)
    // The answer has nothing that this forgery would change.
    if (Object.keys(changes).length === 0 && check(answer.value) === undefined) return answer
    const problem = check({ ...answer.value, ...changes })
    problems.push(problem)
    if (!alsoTruth) throw new WrongAnswer(answer.server, name, problem ?? 'believed')
    const refused = check(answer.value)
    if (refused !== undefined) throw new Error(`the true answer was refused: ${refused}`)
    return answer
  }
  const running: Promise<unknown>[] = []
  pool.queryFrom = ((...query: Parameters<typeof forge>) => {
    running.push(forge(...query))
    return running.at(-1)
  }) as never
  try {
    await work()
  } finally {
    // A method that sends several queries fails with the first failure; the next request would share those
    // still running.
    await Promise.allSettled(running)
    pool.queryFrom = queryFrom
  }
  return problems
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[copy.length >> 1]! ^= 1
  return copy
}

const falseAnswer = <N extends LiteFunctionName>(
  method: keyof typeof V2_METHODS,
  params: object,
  name: N,
  forgeries: Readonly<Record<string, Forge<N>>>,
) => ({
  method,
  params,
  name,
  forgeries: forgeries as never as Readonly<Record<string, Forge<LiteFunctionName>>>,
})

const FALSE_ACCOUNTS: Readonly<Record<string, Forge<'liteServer.getAccountState'>>> = {
  'a changed state': ({ state }) => ({ state: flipped(state) }),
  'no state': () => ({ state: Buffer.alloc(0) }),
  'a changed proof': ({ proof }) => ({ proof: flipped(proof) }),
  'a changed proof of the shard': ({ shardProof }) => ({ shardProof: flipped(shardProof) }),
  'another shard block': ({ shardblk }) => ({ shardblk: { ...shardblk, seqno: shardblk.seqno - 1 } }),
}
const FLIPPED_STATE = { 'a changed state': FALSE_ACCOUNTS['a changed state']! }
const block = (seqno: number) => ({ workchain: 0, shard: SHARD, seqno })
const FALSE_LOOKUPS: Readonly<Record<string, Forge<'liteServer.lookupBlock'>>> = {
  'a changed proof': ({ headerProof }) => ({ headerProof: flipped(headerProof) }),
  'other hashes': ({ id }) => ({ id: { ...id, rootHash: flipped(id.rootHash) } }),
  'another number': ({ id }) => ({ id: { ...id, seqno: id.seqno + 1 } }),
}
const FLIPPED_BLOCK: Readonly<Record<string, Forge<'liteServer.getBlock'>>> = {
  'a changed block': ({ data }) => ({ data: flipped(data) }),
}
// An internal message of the sample.
const MESSAGE = {
  source: '0:e46a3418fc55d04233556c7147ed1c8efce8bb25778c4748f3f0053b0eba7225',
  destination: '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e',
}

/** One row per method that uses lite servers. Each requests a different block, so that nothing is cached. */
const rows = [
  falseAnswer(
    'getAddressInformation',
    { address: WALLET, seqno: 501 },
    'liteServer.getAccountState',
    FALSE_ACCOUNTS,
  ),
  falseAnswer(
    'getExtendedAddressInformation',
    { address: WALLET, seqno: 502 },
    'liteServer.getAccountState',
    FLIPPED_STATE,
  ),
  falseAnswer(
    'getWalletInformation',
    { address: WALLET, seqno: 503 },
    'liteServer.getAccountState',
    FLIPPED_STATE,
  ),
  falseAnswer(
    'getAddressBalance',
    { address: WALLET, seqno: 504 },
    'liteServer.getAccountState',
    FLIPPED_STATE,
  ),
  falseAnswer(
    'getAddressState',
    { address: WALLET, seqno: 505 },
    'liteServer.getAccountState',
    FLIPPED_STATE,
  ),
  falseAnswer(
    'getShardAccountCell',
    { address: WALLET, seqno: 506 },
    'liteServer.getAccountState',
    FLIPPED_STATE,
  ),
  falseAnswer('getTokenData', { address: JETTON, seqno: 507 }, 'liteServer.getAccountState', FLIPPED_STATE),
  falseAnswer(
    'runGetMethod',
    { address: WALLET, method: 'seqno', stack: [], seqno: 508 },
    'liteServer.getAccountState',
    FLIPPED_STATE,
  ),
  falseAnswer(
    'runGetMethodStd',
    { address: WALLET, method: 'seqno', stack: [], seqno: 509 },
    'liteServer.getAccountState',
    FLIPPED_STATE,
  ),
  falseAnswer(
    'estimateFee',
    { address: JETTON, body: EMPTY_CELL },
    'liteServer.getAccountState',
    FLIPPED_STATE,
  ),
  falseAnswer(
    'estimateFee',
    { address: NOBODY, body: EMPTY_CELL, init_code: READS_BLOCKS, init_data: EMPTY_CELL },
    'liteServer.getConfigParams',
    {
      'changed previous blocks': ({ configProof }) => ({ configProof: flipped(configProof) }),
      'a changed proof of the state': ({ stateProof }) => ({ stateProof: flipped(stateProof) }),
      'those of another block': ({ id }) => ({ id: { ...id, seqno: id.seqno - 1 } }),
      'no proof': () => ({ configProof: Buffer.alloc(0) }),
    },
  ),
  falseAnswer('getTransactions', { address: WALLET, limit: 3 }, 'liteServer.getTransactions', {
    'changed transactions': ({ transactions }) => ({ transactions: flipped(transactions) }),
    'no transactions': () => ({ ids: [], transactions: Buffer.alloc(0) }),
  }),
  falseAnswer('getTransactionsStd', { address: WALLET, limit: 4 }, 'liteServer.getTransactions', {
    'changed transactions': ({ transactions }) => ({ transactions: flipped(transactions) }),
    'no transactions': () => ({ ids: [], transactions: Buffer.alloc(0) }),
  }),
  falseAnswer('getBlockTransactions', block(101), 'liteServer.getBlock', FLIPPED_BLOCK),
  falseAnswer('getBlockTransactionsExt', block(102), 'liteServer.getBlock', FLIPPED_BLOCK),
  falseAnswer('getConfigParam', { config_id: 0, seqno: 300 }, 'liteServer.getConfigAll', {
    'a changed configuration': ({ configProof }) => ({ configProof: flipped(configProof) }),
    'a changed proof of the state': ({ stateProof }) => ({ stateProof: flipped(stateProof) }),
    'that of another block': ({ id }) => ({ id: { ...id, seqno: id.seqno - 1 } }),
  }),
  falseAnswer('getConfigAll', { seqno: 200 }, 'liteServer.getConfigAll', {
    'a changed configuration': ({ configProof }) => ({ configProof: flipped(configProof) }),
  }),
  falseAnswer('getLibraries', { libraries: [LIBRARY] }, 'liteServer.getLibrariesWithProof', {
    'a library left out': () => ({ result: [] }),
    'a changed library': ({ result }) => ({
      result: result.map((entry) => ({ ...entry, data: flipped(entry.data) })),
    }),
    'a changed proof': ({ dataProof }) => ({ dataProof: flipped(dataProof) }),
  }),
  falseAnswer('getShards', { seqno: 300 }, 'liteServer.getAllShardsInfo', {
    'other shards': ({ data }) => ({ data: flipped(data) }),
    'a changed proof': ({ proof }) => ({ proof: flipped(proof) }),
  }),
  falseAnswer('getBlockHeader', block(103), 'liteServer.getBlockHeader', {
    'a changed header': ({ headerProof }) => ({ headerProof: flipped(headerProof) }),
  }),
  falseAnswer('getBlock', block(111), 'liteServer.getBlock', FLIPPED_BLOCK),
  falseAnswer('lookupBlock', block(104), 'liteServer.lookupBlock', FALSE_LOOKUPS),
  falseAnswer(
    'lookupBlock',
    { workchain: 0, shard: SHARD, lt: '500000000' },
    'liteServer.lookupBlock',
    FALSE_LOOKUPS,
  ),
  falseAnswer(
    'lookupBlock',
    { workchain: 0, shard: SHARD, unixtime: 1795261880 },
    'liteServer.lookupBlock',
    FALSE_LOOKUPS,
  ),
  falseAnswer(
    'getShardBlockProof',
    { workchain: 0, shard: '4611686018427387904', seqno: 135, from_seqno: 159 },
    'liteServer.getShardBlockProof',
    {
      'a changed link': ({ links }) => ({
        links: links.map((link) => ({ ...link, proof: flipped(link.proof) })),
      }),
      'a link less': ({ links }) => ({ links: links.slice(1) }),
      'no links': () => ({ links: [] }),
    },
  ),
  falseAnswer('getMasterchainBlockSignatures', { seqno: 400 }, 'liteServer.getBlockProof', {
    'a signature less': ({ steps }) =>
      steps.some(({ kind }) => kind === 'liteServer.blockLinkForward')
        ? { steps: steps.map(withoutSignature) }
        : {},
    'a block that nobody signed': ({ to }) => ({ to: { ...to, rootHash: flipped(to.rootHash) } }),
  }),
  falseAnswer('getOutMsgQueueSize', {}, 'liteServer.getBlockOutMsgQueueSize', {
    'another length': ({ size }) => ({ size: size + 1n }),
    'no proof': () => ({ proof: undefined }),
  }),
  falseAnswer(
    'tryLocateTx',
    { ...MESSAGE, created_lt: '300000000' },
    'liteServer.lookupBlock',
    FALSE_LOOKUPS,
  ),
  falseAnswer(
    'tryLocateResultTx',
    { ...MESSAGE, created_lt: '310000000' },
    'liteServer.getBlock',
    FLIPPED_BLOCK,
  ),
  falseAnswer(
    'tryLocateSourceTx',
    { ...MESSAGE, created_lt: '800000000' },
    'liteServer.getBlock',
    FLIPPED_BLOCK,
  ),
  falseAnswer(
    'dnsResolve',
    { address: DNS_ROOT, name: 'bob-scenario.ton', seqno: 510 },
    'liteServer.getAccountState',
    FLIPPED_STATE,
  ),
]

/** A forward link with one of the signatures that two thirds need. */
function withoutSignature(link: BlockLink): BlockLink {
  if (link.kind !== 'liteServer.blockLinkForward') return link
  const { signatures } = link
  return { ...link, signatures: { ...signatures, signatures: signatures.signatures.slice(1) } }
}

test.each(rows)(
  '$method rejects the false answer with $name, fails, and succeeds as soon as a server answers truthfully',
  async ({ method, params, name, forgeries }) => {
    // Previous blocks are asked for once per masterchain block, whatever the code does.
    if (name === 'liteServer.getConfigParams') api = await startApi()
    for (const [which, change] of Object.entries(forgeries)) {
      const problems = await whileForged({ name, change, alsoTruth: false }, async () => {
        const { status, body } = await get(method, params)
        expect(status, `${which}: ${JSON.stringify(body)}`).toBeGreaterThanOrEqual(500)
        expect(body.error, which).toMatch(/VALIDATE_ANSWER|LITE_SERVER/)
        expect(body.result, which).toBeUndefined()
      })
      expect(problems.length, which).toBeGreaterThan(0)
      for (const problem of problems) expect(problem, `${which} was believed`).toMatch(/./)
    }
    expect([200, 404]).toContain((await get(method, params)).status)
  },
)

test('every method that uses lite servers has a row', () => {
  // These need no server, or return what the client sent, or are tested with the heads below.
  const others = [
    ...['detectAddress', 'detectHash', 'packAddress', 'unpackAddress'],
    ...['sendBoc', 'sendBocReturnHash', 'sendBocReturnHashNoError'],
    ...['getMasterchainInfo', 'getConsensusBlock'],
  ]
  expect([...new Set([...rows.map(({ method }) => method), ...others])].sort()).toEqual(
    Object.keys(V2_METHODS).sort(),
  )
})

test('the answer is that of the second server, after a false one of the first was received', async () => {
  const params = { address: WALLET, seqno: 511 }
  const change: Forge<'liteServer.getAccountState'> = ({ state }) => ({ state: flipped(state) })
  const problems = await whileForged(
    { name: 'liteServer.getAccountState', change, alsoTruth: true },
    async () => {
      expect((await get('getAddressBalance', params)).body.result).toBe('2997161137569')
    },
  )
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(/./)
})

describe('servers', () => {
  /** Two servers, in turn with every fault; what the pool learned of them stays. */
  let pair: RunningApi
  beforeAll(async () => {
    pair = await startApi([{}, {}])
  })
  afterAll(() => pair.close())
  const askPair = (path: string) => ask(path, pair)
  const header = (seqno: number) => askPair(`getBlockHeader?workchain=-1&shard=${SHARD}&seqno=${seqno}`)

  /** The one that the pool prefers now, asked about 20 blocks; the other one may not be asked at all. */
  async function preferredServer(from: number) {
    const counts = () => pair.replays.map(({ queryCounts }) => queryCounts.get('liteServer.lookupBlock') ?? 0)
    const before = counts()
    for (let seqno = from; seqno < from + 20; seqno++) expect((await header(seqno)).status).toBe(200)
    const [first, second] = counts().map((count, index) => count - before[index]!)
    return pair.replays[first! > second! ? 0 : 1]!
  }

  test('a server with an old head does not make answers outdated', async () => {
    pair.replays[1]!.setWrongAnswers({ staleBy: 50 })
    await askPair('getMasterchainInfo')
    for (let i = 0; i < 5; i++)
      expect(await askPair('getMasterchainInfo')).toMatchObject({
        body: { result: { last: { seqno: 529 } } },
      })
    pair.replays[1]!.setWrongAnswers({})
  })

  test('when a server falls silent another one answers while its query is still open', async () => {
    const preferred = await preferredServer(10)
    preferred.setWrongAnswers({ stall: true, when: ({ name }) => name !== 'liteServer.getMasterchainInfo' })
    let raced = 0
    for (let seqno = 30; seqno < 60 && (isLong || raced < 3); seqno++) {
      expect(await header(seqno)).toMatchObject({ status: 200, body: { result: { id: { seqno } } } })
      const silent = pair.pool.servers().find((server) => server.name.endsWith(`:${preferred.port}`))!
      // One of the queries is the standing query for the head.
      if (silent.inFlight > 1) raced++
    }
    expect(raced).toBeGreaterThan(0)
    preferred.setWrongAnswers({})
  })

  test('a server with false headers and blocks is dropped, and another one answers', async () => {
    const preferred = await preferredServer(70)
    preferred.setWrongAnswers({ header: 'broken-proof', block: 'flipped-byte' })
    const states = () => pair.pool.servers().map(({ state }) => state)
    // The pool may turn to the other server for a while.
    for (let seqno = 100; seqno < 112 || (seqno < 500 && !states().includes('banned')); seqno++) {
      const place = `workchain=-1&shard=${SHARD}&seqno=${seqno}`
      expect(await askPair(`getBlockTransactions?${place}`)).toMatchObject({
        status: 200,
        body: { result: { id: { seqno } } },
      })
    }
    expect(states().sort()).toEqual(['banned', 'ready'])
  })

  test('equal concurrent requests share one query', async () => {
    const { queryCounts } = api.replays[0]!
    const count = (name: string) => queryCounts.get(name) ?? 0
    const names = ['liteServer.lookupBlock', 'liteServer.getAccountState', 'liteServer.getBlock']
    const before = names.map(count)
    const replies = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => [
        (await get('getAddressInformation', { address: i % 2 ? WALLET : WALLET.toUpperCase(), seqno: 512 }))
          .status,
        (await get('getBlockTransactions', block(105))).status,
      ]),
    )
    expect(new Set(replies.flat())).toEqual(new Set([200]))
    // The masterchain block and the shard block are looked up once each.
    expect(names.map((name, i) => count(name) - before[i]!)).toEqual([2, 1, 1])
  })

  test('a refusal is not cached: the next request asks again', async () => {
    const params = { address: WALLET, seqno: 513 }
    const { pool } = api
    const queryFrom = pool.queryFrom.bind(pool)
    pool.queryFrom = (async () => {
      throw new LiteServerError('here', 'liteServer.lookupBlock', 0, 'out of order')
    }) as never
    expect(await get('getAddressBalance', params)).toMatchObject({ status: 500 })
    pool.queryFrom = queryFrom
    expect(await get('getAddressBalance', params)).toMatchObject({ status: 200 })
  })

  test('without an honest server the request fails', async () => {
    // The last test: the server stays dropped.
    api.replays[0]!.setWrongAnswers({ header: 'broken-proof' })
    const { status, body } = await ask(`lookupBlock?workchain=-1&shard=${SHARD}&seqno=77`)
    expect(status).toBeGreaterThanOrEqual(500)
    expect(body.error).toMatch(/VALIDATE_ANSWER|LITE_SERVER_NETWORK timeout/)
  })
})
