// The API's HTTP interface and threads, with a contract whose get-methods count until their gas is used up.

import { readFileSync } from 'node:fs'
import { createDb } from '@shardwalk/db'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { RequestThreads } from '@shardwalk/node-access/requests'
import { silentLogger } from '@shardwalk/observability'
import { keepPlans } from '@shardwalk/queries'
import { TvmPool } from '@shardwalk/tvm'
import { createApi } from '../../src/create-api.ts'
import { listen } from '../../src/server.ts'
import { WithEndlessContract } from './endless-contract.ts'

const THREADS = 2
const MAX_WAITING = 256

const { liteServers, zeroState, initBlock } = parseGlobalConfig(readFileSync(process.env['NETWORK']!, 'utf8'))
const pool = new LiteServerPool({ servers: liteServers, ...(zeroState && { zeroState }) })
const options = {
  threads: THREADS,
  maxWaiting: MAX_WAITING,
  maxWaitingPerClient: MAX_WAITING / 4,
  maxRunningPerClient: THREADS - 1,
}
const tvm = new WithEndlessContract(process.env['ENDLESS_ACCOUNT']!, options)
const untrustedTvm = new TvmPool(options)
const { pool: database } = createDb({ url: process.env['DATABASE_URL']!, max: 6 })
const app = createApi({
  db: keepPlans(database),
  log: silentLogger,
  lite: () => ({ pool, tvm, untrustedTvm, anchor: initBlock ?? zeroState }),
  work: new RequestThreads({ threads: 1, maxWaiting: 32 }),
  // Clients are distinguished by the address that a proxy names.
  trustedProxies: ['127.0.0.1'],
})
const server = await listen(app, { host: '127.0.0.1', port: 0 })
console.error(JSON.stringify({ level: 'info', message: 'listening', url: `${server.url}/api/v3/` }))
