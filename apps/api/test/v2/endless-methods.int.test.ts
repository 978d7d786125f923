import { setTimeout as sleep } from 'node:timers/promises'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { silentLogger } from '@shardwalk/observability'
import { type Replay, startReplay } from '@shardwalk/replay'
import { FIXTURE_CHAIN_FOLDER, type ScratchDatabase, sampleChainDatabase } from '@shardwalk/testkit'
import { isLong } from '@shardwalk/testkit/runs'
import { TvmPool } from '@shardwalk/tvm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createApi } from '../../src/create-api.ts'
import { listen, type RunningServer } from '../../src/server.ts'
import { WithEndlessContract } from '../attack/endless-contract.ts'
import { SOMEBODY } from './running-api.ts'

const ELECTOR = `-1:${'3'.repeat(64)}`
const OPTIONS = { threads: 2, maxWaiting: 256, maxWaitingPerClient: 64, maxRunningPerClient: 1 }

let scratch: ScratchDatabase
let replay: Replay
let pool: LiteServerPool
let server: RunningServer
const tvm = new WithEndlessContract(ELECTOR, OPTIONS)
const untrustedTvm = new TvmPool(OPTIONS)
beforeAll(async () => {
  scratch = await sampleChainDatabase()
  replay = await startReplay({ recording: FIXTURE_CHAIN_FOLDER })
  const { liteServers, zeroState, initBlock } = parseGlobalConfig(replay.globalConfig)
  pool = new LiteServerPool({ servers: liteServers, ...(zeroState && { zeroState }) })
  const app = createApi({
    db: scratch.db,
    log: silentLogger,
    lite: () => ({ pool, tvm, untrustedTvm, anchor: initBlock ?? zeroState }),
    // Clients are distinguished by the address that a proxy names.
    trustedProxies: ['127.0.0.1'],
  })
  server = await listen(app, { host: '127.0.0.1', port: 0 })
})
afterAll(async () => {
  await server?.close(500)
  await pool?.close()
  await tvm.close()
  await untrustedTvm.close()
  await replay?.close()
  await scratch?.close()
})

const run = async (client: string, address: string, id: number, signal?: AbortSignal) => {
  const reply = await fetch(`${server.url}/api/v2/runGetMethod`, {
    method: 'POST',
    headers: { 'X-Forwarded-For': client },
    body: JSON.stringify({ address, method: 'seqno', stack: [['num', id]] }),
    signal: signal ?? null,
  })
  await reply.arrayBuffer()
  return reply.status
}

test('while one client runs fifty endless get-methods, others are answered', async () => {
  const answered = () => run('192.0.2.2', SOMEBODY, 0)
  await vi.waitFor(async () => expect(await answered()).toBe(200), { timeout: 120_000, interval: 500 })
  const over = new AbortController()
  let id = 1
  const attackers = Array.from({ length: 50 }, async () => {
    // Once the code is suspended, calls are refused at once.
    for (; !over.signal.aborted; await sleep(20))
      await run('192.0.2.1', ELECTOR, id++, over.signal).catch((error) => {
        // What still waits at the end is given up.
        if (!over.signal.aborted) throw error
      })
  })
  await vi.waitFor(() => expect(tvm.endless).toBeGreaterThan(40), { timeout: 60_000, interval: 50 })
  const before = tvm.endless
  const statuses: number[] = []
  // As long as the attack goes on, which is shown by a further run of its own.
  for (let i = 0; i < (isLong ? 20 : 8) || tvm.endless === before; i++) {
    statuses.push(await run('192.0.2.2', SOMEBODY, id++))
    const probe = await fetch(`${server.url}/api/v3/masterchainInfo`)
    await probe.arrayBuffer()
    statuses.push(probe.status)
  }
  over.abort()
  await Promise.all(attackers)
  expect(statuses).toEqual(Array(statuses.length).fill(200))
})
