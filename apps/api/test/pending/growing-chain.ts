import { serializeBoc } from '@shardwalk/cells'
import { BatchSink, classifyWaiting, type EncodedBatch } from '@shardwalk/db'
import { readDhtConfig } from '@shardwalk/dht'
import { LiteServerPool, parseGlobalConfig } from '@shardwalk/liteserver'
import { createNodeAccess } from '@shardwalk/node-access'
import { noMetrics, silentLogger } from '@shardwalk/observability'
import type { Pending, PendingOptions } from '@shardwalk/pending'
import { ForwardedMessages } from '@shardwalk/pending'
import { keepPlans } from '@shardwalk/queries'
import {
  type Replay,
  ReplayFullNodes,
  type ReplayOptions,
  recordedMessages,
  startReplay,
} from '@shardwalk/replay'
import { FullNodeSource, Recording } from '@shardwalk/sources'
import {
  FIXTURE_CHAIN_FOLDER,
  MIGRATED,
  type ScratchDatabase,
  scratchDatabase,
  type Template,
} from '@shardwalk/testkit'
import {
  classifyWithoutFacts,
  RecordedNetwork,
  recordedBatches,
  refreshAll,
} from '@shardwalk/testkit/refresh-chain'
import { TvmPool } from '@shardwalk/tvm'
import { createApi } from '../../src/create-api.ts'
import { listen } from '../../src/server.ts'
import type { Streams } from '../../src/streaming/streams.ts'
import { killedBeforeCommit } from './killed-writer.ts'
import { PendingApi, PUSH_SECRET } from './pending-api.ts'

/** Source: lite_api.tl, `liteServer.sendMessage#690ad482`. */
const SEND_MESSAGE = Buffer.from('82d40a69', 'hex')

/** The first blocks of the sample, every trace classified; contracts are not examined. */
const beginning = (to: number): Template => ({
  name: `beginning_${to}`,
  base: MIGRATED,
  async build(database) {
    await new BatchSink(database.pool).commitBatches(await recordedBatches({ to }))
    await classifyWithoutFacts(database)
  },
})

/** The sample chain, of which the lite server and the index have more and more. */
export class GrowingChain {
  private readonly sink: BatchSink
  private network: RecordedNetwork | undefined
  private refresher: ReturnType<RecordedNetwork['refresher']> | undefined
  /** Of all processes that `start` makes: a thread takes its time to start. */
  private readonly tvm = new TvmPool({ threads: 1 })
  private readonly untrustedTvm = new TvmPool({ threads: 1, timeoutMs: 60_000 })

  private constructor(
    readonly scratch: ScratchDatabase,
    private readonly recording: Recording,
    private readonly replay: Replay,
    private readonly batches: readonly EncodedBatch[],
  ) {
    this.sink = new BatchSink(scratch.pool)
  }

  /** `from`: the head at the beginning; `to`: how far it can be moved. */
  static async open(
    { from, to }: { readonly from: number; readonly to: number },
    options: Partial<ReplayOptions> = {},
  ): Promise<GrowingChain> {
    const recording = await Recording.open(FIXTURE_CHAIN_FOLDER)
    const replay = await startReplay({ recording, startSeqno: from, nonfinal: true, ...options })
    const scratch = await scratchDatabase({ max: 12, template: beginning(from) })
    return new GrowingChain(scratch, recording, replay, await recordedBatches({ to }))
  }

  /** How the lite server is reached, as a global config. */
  get globalConfig(): string {
    return this.replay.globalConfig
  }

  get head(): number {
    return this.replay.chain.headSeqno
  }

  /** The block is there: first at the lite server, then in the index. */
  async moveTo(seqno: number): Promise<void> {
    const from = this.head + 1
    this.announce(seqno)
    await this.index(from, seqno)
  }

  /** The lite server has the block, which an ingest process may index. */
  announce(seqno: number): void {
    this.replay.setHead(seqno)
  }

  /** An ingest that is killed when it has written the next block, before that is committed. */
  async dieWriting(): Promise<void> {
    const next = this.batches.filter(({ mcBlockSeqno }) => mcBlockSeqno === this.head + 1)
    await killedBeforeCommit(this.scratch.url, (pool) => new BatchSink(pool).commitBatches(next))
  }

  /** The same with the process that derives actions. */
  async dieClassifying(): Promise<void> {
    const options = { limit: 1000, waitForFacts: false }
    await killedBeforeCommit(this.scratch.url, (pool) => classifyWaiting(pool, options))
  }

  /** The lite server reports these blocks as signed; the masterchain commits them later. */
  sign(seqno: number, wrong?: NonNullable<ReplayOptions['wrongAnswers']>['nonfinal']): void {
    this.replay.setWrongAnswers(wrong ? { nonfinal: wrong } : {})
    this.replay.setSigned(seqno)
  }

  private async index(from: number, to: number): Promise<void> {
    await this.sink.commitBatches(
      this.batches.filter(({ mcBlockSeqno }) => mcBlockSeqno >= from && mcBlockSeqno <= to),
    )
  }

  /** Examines the contracts that blocks have touched. */
  async examine(): Promise<void> {
    this.network ??= await RecordedNetwork.open()
    this.refresher ??= this.network.refresher(this.scratch)
    await refreshAll(this.refresher)
  }

  /** Where contracts were not examined, actions are derived from what the messages say. */
  async classify(): Promise<void> {
    await classifyWithoutFacts(this.scratch)
  }

  /** Tests take their time: what is pending now is not given up soon. */
  async prolong(): Promise<void> {
    await this.scratch.pool.query(`update pending_traces set expires_at = now() + interval '1 hour'`)
  }

  /** The lite server answers messages that are sent later, as a distant one does. */
  delaySends(ms: number): void {
    const onQuery = (query: Buffer) =>
      ms > 0 && query.includes(SEND_MESSAGE) ? ({ kind: 'delay', ms } as const) : undefined
    this.replay.setFaults({ onQuery })
  }

  /** Hashes of the indexed transactions of the trace that a message began, by lt. */
  async transactionsOf(hash: string, api: PendingApi): Promise<string[]> {
    const { body } = await api.get('transactionsByMessage', { msg_hash: hash })
    const [root] = body['transactions'] as { trace_id: string }[]
    if (!root) return []
    const { rows } = await this.scratch.pool.query(
      `select encode(hash, 'base64') as hash from transactions
       where trace_id_of(piece) = decode($1, 'base64') order by lt`,
      [root.trace_id],
    )
    return rows.map((row) => row.hash as string)
  }

  /** Messages that the block received, as bags of cells. */
  async messagesOf(seqno: number): Promise<readonly Buffer[]> {
    const cells = await recordedMessages(this.recording, seqno)
    return cells.map((cell) => serializeBoc(cell))
  }

  /**
   * What an ingest admits of messages that full nodes pass on. `broadcast` makes them pass on the
   * messages of a block.
   */
  async forwardMessages(): Promise<{ broadcast(seqno: number): Promise<void>; close(): Promise<void> }> {
    const fullNodes = await ReplayFullNodes.start({ chain: this.replay.chain })
    const forwarded = new ForwardedMessages({ db: this.scratch.db, metrics: noMetrics, log: silentLogger })
    const source = await FullNodeSource.open({
      dht: readDhtConfig({ dht: fullNodes.dhtConfig })!,
      zerostateId: this.recording.network.zerostate,
      host: '127.0.0.1',
      log: silentLogger,
      onMessage: (boc) => forwarded.take(boc),
    })
    return {
      broadcast: (seqno) => fullNodes.broadcastMessages(seqno),
      close: async () => {
        await source.close()
        await forwarded.close()
        await fullNodes.close()
      },
    }
  }

  /** A process of the API that follows pending messages; any number may. `own` emulates them, if given. */
  async start(pending: Partial<PendingOptions> = {}, own?: TvmPool): Promise<PendingApi> {
    const { liteServers, zeroState, initBlock } = parseGlobalConfig(this.replay.globalConfig)
    const pool = new LiteServerPool({
      servers: liteServers,
      asksNonfinal: true,
      ...(zeroState && { zeroState }),
    })
    const { tvm } = this
    const untrustedTvm = own ?? this.untrustedTvm
    const made: { streams?: Streams; pending?: Pending } = {}
    const db = keepPlans(this.scratch.pool)
    const app = createApi({
      ...{ db, writableDb: this.scratch.db, log: silentLogger },
      streaming: { pool: this.scratch.pool, v1: true },
      lite: () => ({ pool, tvm, untrustedTvm, anchor: initBlock ?? zeroState }),
      // Wallets of the sample have keys that nobody knows.
      pending: {
        ...{ pool: this.scratch.pool, pushSecret: PUSH_SECRET, ignoresSignatures: true },
        ...pending,
      },
      onStreams: (streams) => {
        made.streams = streams
      },
      onPending: (one) => {
        made.pending = one
      },
    })
    const server = await listen(app, { host: '127.0.0.1', port: 0 })
    const node = createNodeAccess({ pool, tvm, untrustedTvm, db })
    return new PendingApi({ server, node, streams: made.streams! }, async () => {
      await made.pending!.close()
      made.streams!.close()
      await server.close(500)
      await pool.close()
      await own?.close()
    })
  }

  async close(): Promise<void> {
    await this.refresher?.close()
    await this.network?.close()
    await Promise.all([this.tvm.close(), this.untrustedTvm.close()])
    await this.replay.close()
    await this.recording.close()
    await this.scratch.close()
  }
}
