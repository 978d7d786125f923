import { INDEXED_CHANNEL } from '@shardwalk/db'
import { silentLogger } from '@shardwalk/observability'
import { keepPlans } from '@shardwalk/queries'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import type { ApiOptions } from '../../src/api-options.ts'
import { createApi } from '../../src/create-api.ts'
import { listen, type RunningServer } from '../../src/server.ts'
import type { Streams } from '../../src/streaming/streams.ts'

/** The recorded chain, of which an API sees more and more: the head is where `moveTo` puts it. */
export class MovingChain {
  private constructor(
    readonly scratch: ScratchDatabase,
    readonly first: number,
    readonly last: number,
  ) {}

  static async open(): Promise<MovingChain> {
    const scratch = await classifiedChain()
    const { rows } = await scratch.pool.query('select from_seqno, to_seqno from indexed_ranges')
    return new MovingChain(scratch, rows[0].from_seqno, rows[0].to_seqno)
  }

  async moveTo(seqno: number): Promise<void> {
    await this.scratch.pool.query('update indexed_ranges set to_seqno = $1', [seqno])
    await this.scratch.pool.query('select pg_notify($1, $2)', [INDEXED_CHANNEL, String(seqno)])
  }

  close(): Promise<void> {
    return this.scratch.close()
  }
}

export interface StreamingApi {
  readonly url: string
  readonly streams: Streams
  close(): Promise<void>
}

/** An API with streams over a scratch database. */
export async function startStreaming(
  { pool }: Pick<ScratchDatabase, 'pool'>,
  options: Partial<ApiOptions> = {},
): Promise<StreamingApi> {
  let streams: Streams | undefined
  const db = keepPlans(pool)
  const app = createApi({
    ...{ db, writableDb: db, log: silentLogger, streaming: { pool } },
    ...options,
    onStreams: (made) => {
      streams = made
    },
  })
  const server: RunningServer = await listen(app, { host: '127.0.0.1', port: 0 })
  return {
    url: server.url,
    streams: streams!,
    async close() {
      streams!.close()
      await server.close(500)
    },
  }
}
