import type { ChildProcess } from 'node:child_process'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { silentLogger } from '@shardwalk/observability'
import { FREEZE_MS, freezeServer, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { TvmPool } from '@shardwalk/tvm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApi } from '../src/create-api.ts'
import { listen, type RunningServer } from '../src/server.ts'
import { forkLiteServer } from './attack/lite-server.ts'

const WALLET = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'

let scratch: ScratchDatabase
let liteServer: ChildProcess
let pool: LiteServerPool
let server: RunningServer
const tvm = new TvmPool()
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  const forked = await forkLiteServer()
  liteServer = forked.liteServer
  const { liteServers, zeroState, initBlock } = parseGlobalConfig(forked.globalConfig)
  pool = new LiteServerPool({ servers: liteServers, ...(zeroState && { zeroState }) })
  const lite = () => ({ pool, tvm, untrustedTvm: tvm, anchor: initBlock ?? zeroState })
  server = await listen(createApi({ db: scratch.db, log: silentLogger, lite }), {
    host: '127.0.0.1',
    port: 0,
  })
})
afterAll(async () => {
  await server?.close(500)
  await pool?.close()
  await tvm.close()
  liteServer?.kill('SIGKILL')
  await scratch?.close()
})

const ask = async (path: string) => {
  const reply = await fetch(server.url + path)
  await reply.arrayBuffer()
  return reply.status
}
const STATE = `/api/v2/getAddressInformation?address=${WALLET}`
const OLD_STATE = `${STATE}&seqno=77`

test('while lite servers stand still, API v3 answers from the index and API v2 with 504', async () => {
  await expect.poll(() => ask(STATE), { timeout: 120_000, interval: 500 }).toBe(200)
  const frozen = freezeServer(liteServer.pid!)
  try {
    const fromServers = Promise.all([
      ask(OLD_STATE),
      ask('/api/v2/getShards?seqno=78'),
      ask(`/api/v3/account?address=0:${'1'.repeat(64)}`),
    ])
    let isWaiting = true
    const outcome = fromServers.finally(() => {
      isWaiting = false
    })
    const fromIndex: number[] = []
    const askIndex = async () => {
      for (const list of ['blocks', 'transactions', 'messages', 'traces', 'actions', 'masterchainInfo'])
        fromIndex.push(await ask(`/api/v3/${list}`))
    }
    await askIndex()
    expect(fromIndex).toEqual(Array(6).fill(200))
    // The lists did not wait for the lite servers.
    expect(isWaiting).toBe(true)
    expect(await outcome).toEqual([504, 504, 504])
    for (const end = performance.now() + FREEZE_MS; performance.now() < end; ) await askIndex()
    expect(fromIndex.filter((status) => status !== 200)).toEqual([])
    if (FREEZE_MS > 0) console.log(`${fromIndex.length} replies from the index, all 200`)
  } finally {
    frozen.thaw()
  }
  await expect.poll(() => ask(OLD_STATE), { timeout: 60_000, interval: 500 }).toBe(200)
})
