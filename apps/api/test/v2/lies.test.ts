import type { LiteFunctionName, LiteResults } from '@shardwalk/tl'
import { afterEach, expect, test } from 'vitest'
import { type RunningApi, startApi } from './running-api.ts'

const WALLET = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'

let api: RunningApi
afterEach(() => api.close())

const ask = async (path: string) => {
  const reply = await fetch(`${api.base}/${path}`)
  return { status: reply.status, body: (await reply.json()) as { result?: unknown; error?: string } }
}

/** Puts a forged answer before each true one; gives what was said of it. */
function forge<N extends LiteFunctionName>(name: N, change: (value: LiteResults[N]) => Partial<LiteResults[N]>) {
  const problems: (string | undefined)[] = []
  const { pool } = api
  const ask = pool.queryFrom.bind(pool)
  pool.queryFrom = (async (
    asked: N,
    args: never,
    options: { check?: (value: LiteResults[N]) => string | undefined },
  ) => {
    if (asked !== name || !options.check) return ask(asked, args, options as never)
    const { check, ...rest } = options
    const answer = await ask(asked, args, rest as never)
    problems.push(check({ ...answer.value, ...change(answer.value) }))
    const truth = check(answer.value)
    if (truth !== undefined) throw new Error(`the true answer was refused: ${truth}`)
    return answer
  }) as never
  return problems
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[copy.length >> 1]! ^= 1
  return copy
}

test('a forged account state is not believed', async () => {
  api = await startApi()
  await ask('getMasterchainInfo')
  const problems = forge('liteServer.getAccountState', ({ state }) => ({ state: flipped(state) }))
  expect((await ask(`getAddressBalance?address=${WALLET}`)).body.result).toBe('2997161137569')
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(/./)
})

test('an account that is said not to exist must be proven not to', async () => {
  api = await startApi()
  await ask('getMasterchainInfo')
  const problems = forge('liteServer.getAccountState', () => ({ state: Buffer.alloc(0) }))
  expect((await ask(`getAddressState?address=${WALLET}`)).body.result).toBe('active')
  expect(problems[0]).toMatch(/shows an account that the answer leaves out/)
})

test('transactions, configuration, shards and links that do not fit are not believed', async () => {
  api = await startApi()
  await ask('getMasterchainInfo')
  const checks = [
    forge('liteServer.getTransactions', ({ transactions }) => ({ transactions: flipped(transactions) })),
    forge('liteServer.getConfigAll', ({ configProof }) => ({ configProof: flipped(configProof) })),
    forge('liteServer.getAllShardsInfo', ({ data }) => ({ data: flipped(data) })),
    forge('liteServer.getShardBlockProof', ({ links }) => ({
      links: links.map((link) => ({ ...link, proof: flipped(link.proof) })),
    })),
    forge('liteServer.getBlockHeader', ({ headerProof }) => ({ headerProof: flipped(headerProof) })),
  ]
  for (const path of [
    `getTransactions?address=${WALLET}`,
    'getConfigParam?config_id=0&seqno=300',
    'getShards?seqno=300',
    'getShardBlockProof?workchain=0&shard=4611686018427387904&seqno=135&from_seqno=159',
    'getBlockHeader?workchain=0&shard=-9223372036854775808&seqno=100',
  ])
    expect(await ask(path)).toMatchObject({ status: 200, body: { ok: true } })
  for (const problems of checks) {
    expect(problems.length).toBeGreaterThan(0)
    for (const problem of problems) expect(problem).toMatch(/./)
  }
})

test('a server that lies about headers and blocks is left alone, another one answers', async () => {
  api = await startApi([{}, {}])
  api.replays[1]!.setLies({ header: 'broken-proof', block: 'flipped-byte' })
  for (let seqno = 100; seqno < 112; seqno++) {
    const place = `workchain=-1&shard=-9223372036854775808&seqno=${seqno}`
    expect(await ask(`getBlockTransactions?${place}`)).toMatchObject({
      status: 200,
      body: { result: { id: { seqno } } },
    })
  }
  expect(
    api.pool
      .servers()
      .map(({ state }) => state)
      .sort(),
  ).toEqual(['banned', 'ready'])
})

test('a server with an old head does not make answers old', async () => {
  api = await startApi([{}, {}])
  api.replays[1]!.setLies({ staleBy: 50 })
  await ask('getMasterchainInfo')
  for (let i = 0; i < 5; i++)
    expect(await ask('getMasterchainInfo')).toMatchObject({ body: { result: { last: { seqno: 529 } } } })
})

test('without a server that tells the truth the answer is an honest failure', async () => {
  api = await startApi()
  await ask('getMasterchainInfo')
  api.replays[0]!.setLies({ header: 'broken-proof' })
  const { status, body } = await ask('lookupBlock?workchain=-1&shard=-9223372036854775808&seqno=77')
  expect(status).toBeGreaterThanOrEqual(500)
  expect(body.error).toMatch(/VALIDATE_ANSWER|LITE_SERVER_NETWORK timeout/)
}, 30_000)
