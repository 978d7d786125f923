import { hash } from 'node:crypto'
import { type AdnlFaults, AdnlServer, type QueryContext } from '@shardwalk/liteserver'
import { Recording } from '@shardwalk/sources'
import { decodeFunction, decodeQuery, functionNameOf, type LiteCall } from '@shardwalk/tl'
import type { SentMessage } from './answers/messages.ts'
import { ReplayChain } from './chain.ts'
import { formatGlobalConfig } from './global-config.ts'
import { HeadMover } from './head-mover.ts'
import { type Lies, lieAbout } from './lies.ts'
import { LiteService } from './lite-service.ts'

export interface ReplayOptions {
  /** The recorded chain, or its folder. A recording that is handed in stays open when the server closes. */
  readonly recording: Recording | string
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default: a free one. */
  readonly port?: number
  /** Masterchain blocks per second; absent: the head stands still. */
  readonly speed?: number
  /** Where the head begins; default the end of the recording, or its beginning when there is a `speed`. */
  readonly startSeqno?: number
  /** ed25519 seed of the server, 32 bytes; default: made from the network's zerostate, so that it is the same at every start. */
  readonly seed?: Buffer
  /** Trouble on the wire. */
  readonly faults?: AdnlFaults
  /** False answers. */
  readonly lies?: Lies
  /** Unix seconds for getTime and the like; default: the system's clock. */
  readonly now?: () => number
  /** A query broke the server's own code; the client gets no answer then. */
  readonly onError?: (error: unknown) => void
}

/** A running replay server. */
export interface Replay {
  readonly host: string
  readonly port: number
  /** ed25519, 32 bytes. */
  readonly publicKey: Buffer
  /** Global config naming this server only: what `--network` takes. */
  readonly globalConfig: string
  readonly chain: ReplayChain
  /** External messages taken so far, oldest first. */
  readonly sentMessages: readonly SentMessage[]
  /** Queries received, by function. */
  readonly queryCounts: ReadonlyMap<string, number>
  /** Moves the head; waiting queries that it satisfies are answered. */
  setHead(seqno: number): void
  setFaults(faults: AdnlFaults): void
  setLies(lies: Lies): void
  /** Breaks every connection, keeps listening. */
  dropConnections(): void
  close(): Promise<void>
}

/** Serves a recorded chain as a lite server over ADNL/TCP. */
export async function startReplay(options: ReplayOptions): Promise<Replay> {
  const recording =
    typeof options.recording === 'string' ? await Recording.open(options.recording) : options.recording
  const server = new ReplayServer(recording, options)
  try {
    await server.listen()
  } catch (error) {
    if (typeof options.recording === 'string') await recording.close()
    throw error
  }
  return server
}

class ReplayServer implements Replay {
  readonly chain: ReplayChain
  readonly queryCounts = new Map<string, number>()
  private readonly service: LiteService
  private readonly adnl: AdnlServer
  private readonly mover: HeadMover
  private lies: Lies
  private index = 0
  readonly host: string
  port = 0
  globalConfig = ''

  constructor(
    private readonly recording: Recording,
    private readonly options: ReplayOptions,
  ) {
    const start = options.startSeqno ?? (options.speed ? recording.first : recording.last)
    this.chain = new ReplayChain(recording, start)
    this.service = new LiteService(this.chain, { now: options.now ?? systemTime })
    this.mover = new HeadMover(this.chain, options.speed ?? 0)
    this.lies = options.lies ?? {}
    this.applyStaleness()
    this.host = options.host ?? '127.0.0.1'
    this.adnl = new AdnlServer({
      seed: options.seed ?? defaultSeed(recording),
      handler: (query, context) => this.handle(query, context),
      ...(options.faults ? { faults: options.faults } : {}),
      ...(options.onError ? { onError: options.onError } : {}),
    })
  }

  get publicKey(): Buffer {
    return this.adnl.publicKey
  }

  get sentMessages(): readonly SentMessage[] {
    return this.service.mailbox.sent
  }

  async listen(): Promise<void> {
    const address = await this.adnl.listen({ host: this.host, port: this.options.port ?? 0 })
    this.port = address.port
    this.globalConfig = formatGlobalConfig({
      host: this.host,
      port: this.port,
      publicKey: this.publicKey,
      network: this.recording.network,
    })
    this.mover.start()
  }

  private async handle(query: Buffer, context: QueryContext): Promise<Buffer | undefined> {
    const call = readCall(query)
    if (call) this.queryCounts.set(call.name, (this.queryCounts.get(call.name) ?? 0) + 1)
    const { lies } = this
    const index = this.index++
    const lying = call !== undefined && (lies.when?.(call, index) ?? true)
    if (lying && lies.stall) return undefined
    const answer = await this.service.answer(query, context.signal)
    if (!answer || !lying || isRefusal(answer)) return answer
    return (await lieAbout(call, answer, lies, this.chain)) ?? answer
  }

  setHead(seqno: number): void {
    this.chain.setHead(seqno)
  }

  setFaults(faults: AdnlFaults): void {
    this.adnl.faults = faults
  }

  setLies(lies: Lies): void {
    this.lies = lies
    this.applyStaleness()
  }

  private applyStaleness(): void {
    this.chain.setStaleness(this.lies.staleBy ?? 0)
  }

  dropConnections(): void {
    this.adnl.dropConnections()
  }

  async close(): Promise<void> {
    this.mover.stop()
    await this.adnl.close()
    if (typeof this.options.recording === 'string') await this.recording.close()
  }
}

const LITE_ERROR_ID = 0xbba9e148

const isRefusal = (answer: Buffer): boolean => answer.readUInt32LE(0) === LITE_ERROR_ID

/** Undefined for what is no known function; the service says what is wrong with it. */
function readCall(query: Buffer): LiteCall | undefined {
  try {
    const { functionBytes } = decodeQuery(query)
    return functionNameOf(functionBytes) ? decodeFunction(functionBytes) : undefined
  } catch {
    return undefined
  }
}

const systemTime = (): number => Math.floor(Date.now() / 1000)

const defaultSeed = (recording: Recording): Buffer =>
  hash(
    'sha256',
    Buffer.concat([Buffer.from('shardwalk replay server'), recording.network.zerostate.fileHash]),
    'buffer',
  )
