import { untilFound } from '@shardwalk/concurrency'
import { DecodeError } from '@shardwalk/model'
import {
  decodeFunction,
  decodeQuery,
  encodeAnswer,
  encodeError,
  functionNameOf,
  LITE_ERROR,
  type LiteArguments,
  type LiteCall,
  type LiteFunctionName,
  type LiteResults,
  type WaitPrefix,
} from '@shardwalk/tl'
import { getAccountState, getAccountStatePruned } from './answers/accounts.ts'
import { getBlockProof } from './answers/block-proofs.ts'
import { getBlock, getBlockHeader, getState, lookupBlock } from './answers/blocks.ts'
import { getConfigAll, getConfigParams } from './answers/config.ts'
import { getMasterchainInfo, getMasterchainInfoExt, getVersion } from './answers/head.ts'
import { getLibraries, getLibrariesWithProof } from './answers/libraries.ts'
import { lookupBlockWithProof } from './answers/lookup-proof.ts'
import { Mailbox } from './answers/messages.ts'
import { NonfinalBlocks } from './answers/nonfinal.ts'
import {
  getBlockOutMsgQueueSize,
  getDispatchQueueInfo,
  getDispatchQueueMessages,
  getOutMsgQueueSizes,
} from './answers/queues.ts'
import { getAllShardsInfo, getShardBlockProof, getShardInfo } from './answers/shards.ts'
import {
  getOneTransaction,
  getTransactions,
  listBlockTransactions,
  listBlockTransactionsExt,
} from './answers/transactions.ts'
import { getValidatorStats } from './answers/validator-stats.ts'
import type { ReplayChain } from './chain.ts'
import { AnswerBook } from './recorded-answers.ts'
import { notReady, Refusal } from './refusal.ts'
import { MessageRunner } from './run-message.ts'

type Handlers = {
  readonly [N in LiteFunctionName]?: (args: LiteArguments[N]) => LiteResults[N] | Promise<LiteResults[N]>
}

/** Maximum wait for a masterchain block, and how far ahead it may be. Source: node, liteserver.cpp. */
const MAX_WAIT_MS = 10_000
const MAX_WAIT_AHEAD = 100

/** What the functions do beside reading the recording. */
export interface LiteServiceOptions {
  /** The server's current time in Unix seconds. */
  readonly now: () => number
  /** Whether unsupported functions are answered from the recorded exchanges. Default true. */
  readonly useRecordedAnswers?: boolean
  /** Whether sent messages are refused that their contract does not accept. Default true. */
  readonly runsMessages?: boolean
  /** Whether it reports blocks that are signed and not final; see `ReplayChain.setSigned`. Default false. */
  readonly nonfinal?: boolean
}

/** The lite server functions over a recorded chain: bytes of a query in, bytes of its answer out. */
export class LiteService {
  readonly mailbox: Mailbox
  readonly nonfinal: NonfinalBlocks
  private readonly book: AnswerBook | undefined
  private readonly handlers: Handlers
  private readonly runner: MessageRunner

  constructor(
    readonly chain: ReplayChain,
    options: LiteServiceOptions,
  ) {
    this.runner = new MessageRunner(chain)
    const check = options.runsMessages === false ? 'exists' : 'run'
    this.mailbox = new Mailbox((...message) => this.runner[check](...message), options.now)
    this.book = options.useRecordedAnswers === false ? undefined : new AnswerBook(chain.recording.folder)
    this.nonfinal = new NonfinalBlocks(chain, options.nonfinal === true)
    const { mailbox, nonfinal } = this
    this.handlers = { ...handlersFor(chain, mailbox, options.now), ...nonfinalHandlers(chain, nonfinal) }
  }

  /**
   * Answers the content of `adnl.message.query`; undefined (no answer) if it is not a valid
   * `liteServer.query`.
   */
  async answer(query: Buffer, signal?: AbortSignal): Promise<Buffer | undefined> {
    const wrapped = unwrap(query)
    if (!wrapped) return undefined
    try {
      if (wrapped.wait) await this.waitFor(wrapped.wait, signal)
      return await this.call(wrapped.functionBytes)
    } catch (error) {
      if (error instanceof Refusal) return encodeError(error.code, error.message)
      if (error instanceof DecodeError) return encodeError(0, error.message)
      throw error
    }
  }

  /** Ends the thread that runs messages. */
  close(): Promise<void> {
    return this.runner.close()
  }

  private async call(functionBytes: Buffer): Promise<Buffer> {
    const call = readCall(functionBytes)
    const handler = this.handlers[call.name] as ((args: unknown) => unknown) | undefined
    if (handler) return encodeAnswer(call.name, (await handler(call.args)) as never)
    const recorded = await this.book?.find(functionBytes)
    if (recorded) return recorded
    throw new Refusal(LITE_ERROR.protoViolation, 'unknown query')
  }

  /** Resolves once the head has reached the block. */
  private async waitFor({ seqno, timeoutMs }: WaitPrefix, signal?: AbortSignal): Promise<void> {
    const { chain } = this
    if (seqno > chain.head.id.seqno + MAX_WAIT_AHEAD) throw notReady('too big masterchain block seqno')
    const isReached = await untilFound({
      look: () => seqno <= chain.head.id.seqno || undefined,
      listen: (onEvent) => chain.onHead(onEvent),
      timeoutMs: Math.max(0, Math.min(timeoutMs, MAX_WAIT_MS)),
      signals: [signal],
    }).catch(() => undefined)
    if (!isReached) throw new Refusal(LITE_ERROR.timeout, 'timeout')
  }
}

function unwrap(query: Buffer) {
  try {
    return decodeQuery(query)
  } catch {
    // The node does not answer an unknown wrapper.
    return undefined
  }
}

/** Decodes a call. Errors have the texts of the node's TL parser. */
function readCall(bytes: Buffer): LiteCall {
  if (bytes.length < 4) throw new Refusal(0, 'Not enough data to read at 0')
  if (functionNameOf(bytes)) return decodeFunction(bytes)
  throw new Refusal(0, `Unknown constructor found 0x${bytes.readUInt32LE(0).toString(16)} at 4`)
}

function handlersFor(chain: ReplayChain, mailbox: Mailbox, now: () => number): Handlers {
  return {
    'liteServer.getMasterchainInfo': () => getMasterchainInfo(chain),
    'liteServer.getMasterchainInfoExt': (args) => getMasterchainInfoExt(chain, args, now()),
    'liteServer.getTime': () => ({ now: now() }),
    'liteServer.getVersion': () => getVersion(now()),
    'liteServer.getBlockHeader': (args) => getBlockHeader(chain, args),
    'liteServer.getBlockProof': (args) => getBlockProof(chain, args),
    'liteServer.lookupBlock': (args) => lookupBlock(chain, args),
    'liteServer.lookupBlockWithProof': (args) => lookupBlockWithProof(chain, args),
    'liteServer.getState': (args) => getState(chain, args),
    'liteServer.getAllShardsInfo': (args) => getAllShardsInfo(chain, args),
    'liteServer.getShardInfo': (args) => getShardInfo(chain, args),
    'liteServer.getShardBlockProof': (args) => getShardBlockProof(chain, args),
    'liteServer.getAccountState': (args) => getAccountState(chain, args),
    'liteServer.getAccountStatePrunned': (args) => getAccountStatePruned(chain, args),
    'liteServer.listBlockTransactions': (args) => listBlockTransactions(chain, args),
    'liteServer.listBlockTransactionsExt': (args) => listBlockTransactionsExt(chain, args),
    'liteServer.getOneTransaction': (args) => getOneTransaction(chain, args),
    'liteServer.getTransactions': (args) => getTransactions(chain, args),
    'liteServer.getConfigAll': (args) => getConfigAll(chain, args),
    'liteServer.getConfigParams': (args) => getConfigParams(chain, args),
    'liteServer.getValidatorStats': (args) => getValidatorStats(chain, args),
    'liteServer.getLibraries': (args) => getLibraries(chain, args),
    'liteServer.getLibrariesWithProof': (args) => getLibrariesWithProof(chain, args),
    'liteServer.getOutMsgQueueSizes': (args) => getOutMsgQueueSizes(chain, args),
    'liteServer.getBlockOutMsgQueueSize': (args) => getBlockOutMsgQueueSize(chain, args),
    'liteServer.getDispatchQueueInfo': (args) => getDispatchQueueInfo(chain, args),
    'liteServer.getDispatchQueueMessages': (args) => getDispatchQueueMessages(chain, args),
    'liteServer.sendMessage': (args) => mailbox.send(args),
  }
}

function nonfinalHandlers(chain: ReplayChain, nonfinal: NonfinalBlocks): Handlers {
  return {
    'liteServer.getBlock': async (args) => {
      const data = await nonfinal.find(args.id)
      return data ? { id: args.id, data } : getBlock(chain, args)
    },
    'liteServer.nonfinal.getPendingShardBlocks': () => nonfinal.getPendingShardBlocks(),
    'liteServer.nonfinal.getValidatorGroups': () => nonfinal.getValidatorGroups(),
    'liteServer.nonfinal.getCandidate': (args) => nonfinal.getCandidate(args),
  }
}
