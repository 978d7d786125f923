import type { Db } from '@shardwalk/db'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { silentLogger } from '@shardwalk/observability'
import { type Replay, type ReplayOptions, startReplay } from '@shardwalk/replay'
import { TvmPool } from '@shardwalk/tvm'
import { createApi } from '../../src/create-api.ts'
import { listen } from '../../src/server.ts'

export interface RunningApi {
  /** `http://host:port/api/v2`. */
  readonly base: string
  readonly replays: readonly Replay[]
  readonly pool: LiteServerPool
  readonly tvm: TvmPool
  readonly untrustedTvm: TvmPool
  close(): Promise<void>
}

const RECORDING = new URL('../../../../fixtures/chain', import.meta.url).pathname

/** An unavailable database: API v2 needs none. */
const noDatabase = {
  getExecutor: () => {
    throw Object.assign(new Error('no database'), { code: 'ECONNREFUSED' })
  },
} as unknown as Db

interface StartOptions {
  readonly db?: Db
  /** Limit of one run of what clients bring along: a loaded machine takes its time. */
  readonly untrustedTimeoutMs?: number
  /** Limit of a request; only tests of what takes too long need that of production. */
  readonly requestDeadlineMs?: number
}

/**
 * The complete API on lite servers that replay the sample chain, each with its own options; by default they
 * accept messages that contracts would refuse. Without a database by default.
 */
export async function startApi(
  servers: readonly Partial<ReplayOptions>[] = [{}],
  { db = noDatabase, untrustedTimeoutMs = 2_000, requestDeadlineMs = 60_000 }: StartOptions = {},
): Promise<RunningApi> {
  const replays = await Promise.all(
    servers.map((options) => startReplay({ recording: RECORDING, runsMessages: false, ...options })),
  )
  const configs = replays.map((replay) => parseGlobalConfig(replay.globalConfig))
  const { zeroState, initBlock } = configs[0]!
  const pool = new LiteServerPool({
    servers: configs.flatMap((config) => config.liteServers),
    ...(zeroState && { zeroState }),
  })
  const tvm = new TvmPool({ threads: 1 })
  const untrustedTvm = new TvmPool({ threads: 1, timeoutMs: untrustedTimeoutMs })
  const lite = () => ({ pool, tvm, untrustedTvm, anchor: initBlock ?? zeroState })
  // A loaded machine takes its time.
  const emulation = { deadlineMs: 60_000 }
  const app = createApi({
    ...{ db, writableDb: db, log: silentLogger, lite, emulation },
    exportMaxRows: 1000,
    requestDeadlineMs,
  })
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  return {
    base: `${server.url}/api/v2`,
    replays,
    pool,
    tvm,
    untrustedTvm,
    async close() {
      await server.close(500)
      await pool.close()
      await tvm.close()
      await untrustedTvm.close()
      await Promise.all(replays.map((replay) => replay.close()))
    },
  }
}

/** A wallet of the sample. */
export const SOMEBODY = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'

/** Waits until the replay server has computed its newest state, which happens at the first query for it. */
export async function warmUp({ base }: RunningApi): Promise<void> {
  for (let attempt = 0; attempt < 12; attempt++) {
    const reply = await fetch(`${base}/runGetMethod`, {
      method: 'POST',
      body: JSON.stringify({ address: SOMEBODY, method: 'seqno', stack: [] }),
    })
    await reply.text()
    if (reply.status === 200) return
  }
  throw new Error('the replay server does not answer')
}
