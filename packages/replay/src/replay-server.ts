import { hash } from 'node:crypto'
import { type AdnlFaults, AdnlServer, type QueryContext } from '@shardwalk/liteserver'
import { Recording } from '@shardwalk/sources'
import { decodeFunction, decodeQuery, functionNameOf, LITE_ERROR_ID, type LiteCall } from '@shardwalk/tl'
import type { SentMessage } from './answers/messages.ts'
import { ReplayChain } from './chain.ts'
import { formatGlobalConfig } from './global-config.ts'
import { HeadMover } from './head-mover.ts'
import { LiteService } from './lite-service.ts'
import { type WrongAnswers, wrongAnswerTo } from './wrong-answers.ts'

/** What is served, where, and with which faults. */
export interface ReplayOptions {
  /** The recorded chain or its folder. A `Recording` stays open when the server closes. */
  readonly recording: Recording | string
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default: any free port. */
  readonly port?: number
  /** Masterchain blocks per second. Default: the head does not move. */
  readonly speed?: number
  /** Initial head. Default: the end of the recording, or with `speed` its beginning. */
  readonly startSeqno?: number
  /**
   * ed25519 seed of the server, 32 bytes. Default: derived from the zerostate, hence the same at every start.
   */
  readonly seed?: Buffer
  /**
   * Whether sent messages are refused that their contract does not accept at the head. Default true. Without,
   * the destination only has to exist.
   */
  readonly runsMessages?: boolean
  /**
   * Whether it reports shard blocks that are signed and not final, as `--nonfinal-ls` of a node does: those
   * up to `setSigned`, and with `speed` half-way before each head. Default false.
   */
  readonly nonfinal?: boolean
  /** Transport faults. */
  readonly faults?: AdnlFaults
  /** Wrong answers. */
  readonly wrongAnswers?: WrongAnswers
  /** Current time in Unix seconds. Default: the system clock. */
  readonly now?: () => number
  /** Called on an internal error while answering; the client then gets no answer. */
  readonly onError?: (error: unknown) => void
}

/** A running replay server. */
export interface Replay {
  readonly host: string
  readonly port: number
  /** ed25519, 32 bytes. */
  readonly publicKey: Buffer
  /** Global config with this server only, as `--network` expects it. */
  readonly globalConfig: string
  readonly chain: ReplayChain
  /** External messages accepted so far, oldest first. */
  readonly sentMessages: readonly SentMessage[]
  /** Queries received, by function. */
  readonly queryCounts: ReadonlyMap<string, number>
  /** Moves the head and answers the waiting queries that it satisfies. */
  setHead(seqno: number): void
  /** Shard blocks that this masterchain block commits are signed; see `ReplayOptions.nonfinal`. */
  setSigned(seqno: number): void
  setFaults(faults: AdnlFaults): void
  setWrongAnswers(wrongAnswers: WrongAnswers): void
  /** Closes all connections but keeps listening. */
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
  private wrongAnswers: WrongAnswers
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
    const { now = systemTime, runsMessages = true, nonfinal = false } = options
    this.service = new LiteService(this.chain, { now, runsMessages, nonfinal })
    this.mover = new HeadMover(this.chain, options.speed ?? 0)
    this.wrongAnswers = options.wrongAnswers ?? {}
    this.applyWrong()
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
    const { wrongAnswers } = this
    const index = this.index++
    const isWrong = call !== undefined && (wrongAnswers.when?.(call, index) ?? true)
    if (isWrong && wrongAnswers.stall) return undefined
    const answer = await this.service.answer(query, context.signal)
    if (!answer || !isWrong || isRefusal(answer)) return answer
    return (await wrongAnswerTo(call, answer, wrongAnswers, this.chain)) ?? answer
  }

  setHead(seqno: number): void {
    this.chain.setHead(seqno)
  }

  setSigned(seqno: number): void {
    this.chain.setSigned(seqno)
  }

  setFaults(faults: AdnlFaults): void {
    this.adnl.faults = faults
  }

  setWrongAnswers(wrongAnswers: WrongAnswers): void {
    this.wrongAnswers = wrongAnswers
    this.applyWrong()
  }

  private applyWrong(): void {
    this.service.nonfinal.fault = this.wrongAnswers.nonfinal
    this.chain.setStaleness(this.wrongAnswers.staleBy ?? 0)
  }

  dropConnections(): void {
    this.adnl.dropConnections()
  }

  async close(): Promise<void> {
    this.mover.stop()
    await this.adnl.close()
    await this.service.close()
    if (typeof this.options.recording === 'string') await this.recording.close()
  }
}

const isRefusal = (answer: Buffer): boolean => answer.readUInt32LE(0) === LITE_ERROR_ID

/** Undefined for an unknown function; the service then answers with an error. */
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
