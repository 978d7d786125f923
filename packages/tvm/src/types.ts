import type { Cell } from '@shardwalk/cells'
import type { StackValue } from '@shardwalk/contracts'
import type { ExtraCurrencies, PreviousBlocks, RawAddress } from '@shardwalk/model'

/**
 * Configuration and public libraries of a masterchain state, sent to workers once. See `TvmPool.environment`.
 */
export interface TvmEnvironment {
  readonly id: number
  /** Bags of cells, base64. */
  readonly config: string
  readonly libraries: string
}

/** Identifies the caller. */
export interface Caller {
  /** Clients take turns. Default: all such calls count as one client. */
  readonly client?: string | undefined
  /** When aborted, a waiting call gives up its place and the result of a running one is dropped. */
  readonly signal?: AbortSignal | undefined
}

/** A get-method to be run on a code and data. */
export interface GetMethodCall extends Caller {
  readonly environment: TvmEnvironment
  /** Bags of cells. A library cell as code is resolved with the environment's libraries. */
  readonly code: Uint8Array
  readonly data: Uint8Array
  /** If set, code that timed out or crashed three times in a row is refused until it has healed. */
  readonly codeHash?: Uint8Array
  /** Faults are counted per class of callers. Default: all callers are one class. */
  readonly callerClass?: string
  readonly address: RawAddress
  /** Name or method id. */
  readonly method: string | number
  readonly args?: readonly StackValue[]
  /** Arguments encoded by `encodeArguments`; replaces `args`. */
  readonly stack?: Uint8Array
  /** Unix seconds: gen_utime of the account's shard block. */
  readonly now: number
  /** Nanotons. Default 0. */
  readonly balance?: bigint
  /** Extra currencies by id, with their amounts. */
  readonly extraCurrencies?: ExtraCurrencies
  /**
   * Result of PREVMCBLOCKS and similar instructions. Default: none; the result tells whether they were
   * needed.
   */
  readonly previousBlocks?: PreviousBlocks
  /** 32 bytes. Default: SHA-256 of the address, so that equal calls give equal answers. */
  readonly seed?: Uint8Array
  /** Default 1,000,000; maximum 10,000,000. */
  readonly gasLimit?: number
}

/** A call whose result depends on the state of the contract and nothing else. */
export type CacheableCall = GetMethodCall & { readonly codeHash: Uint8Array; readonly dataHash: Uint8Array }

/** A result whose stack is not decoded. */
export type RawGetMethodResult =
  | {
      readonly ok: true
      readonly exitCode: number
      readonly gasUsed: number
      /** `VmStack` as a bag of cells. */
      readonly stackBoc: Buffer
      /** Hash of a library that the run needed and the environment lacks. */
      readonly missingLibrary?: Buffer
      /** The run used the previous blocks, which the call did not supply: with them its result may differ. */
      readonly missesPreviousBlocks?: true
      /** The run read parameters of the configuration; with `slimConfig` its result may differ. */
      readonly readsConfig?: true
      /** The run read the time or the balance: with others its result may differ. */
      readonly readsMoment?: true
    }
  | TvmFailure

/**
 * Outcome of a call. `ok`: TVM finished; exit codes 0 and 1 mean success, others come from the contract or
 * TVM (11: no such method, -14: out of gas).
 */
export type GetMethodResult =
  | (Extract<RawGetMethodResult, { ok: true }> & {
      /** Bottom first. */
      readonly stack: readonly StackValue[]
    })
  | TvmFailure

/**
 * `timeout`: thread killed. `crashed`: executor died. `refused`: input not supported by the executor.
 * `bad_arguments`: they cannot be passed. `too_big`: result exceeds the limits. `suspended`: not run, after
 * earlier runs of this code timed out or crashed.
 */
export interface TvmFailure {
  readonly ok: false
  readonly reason: 'timeout' | 'crashed' | 'refused' | 'bad_arguments' | 'too_big' | 'suspended'
  readonly message: string
  /**
   * Whether the machine, or a configuration that the executor cannot read, may be the reason, so that a
   * later run may have a result. False once runs of the code have failed several times in a row.
   */
  readonly mayPass?: boolean
}

/** A message to be executed on an account; nothing is stored. */
export interface EmulateCall extends Caller {
  readonly environment: TvmEnvironment
  /** block.tlb `ShardAccount`: a cell, or a bag of cells such as the result of another emulation. */
  readonly shardAccount: Cell | Uint8Array
  /** Inbound message, internal or external. */
  readonly message: Cell
  /** Unix seconds. */
  readonly now: number
  /** lt of the new transaction; greater than the account's last one. */
  readonly lt: bigint
  readonly ignoreSignatures: boolean
  /** See `GetMethodCall`. */
  readonly previousBlocks?: PreviousBlocks
  /**
   * 32 bytes: `rand_seed` of the block. Default: SHA-256 of the message hash, so that equal calls give equal
   * answers.
   */
  readonly seed?: Uint8Array
}

/**
 * Outcome of an emulation; cells are bags of cells. `shardAccount`: block.tlb `ShardAccount` after the
 * transaction. `actions`: `OutList` of the run, absent unless it succeeded. `exitCode`: why the contract did
 * not accept the message, absent if it was refused before any code ran. `missesPreviousBlocks`: see
 * `GetMethodResult`.
 */
export type EmulateResult =
  | {
      readonly ok: true
      readonly accepted: true
      readonly transaction: Buffer
      readonly shardAccount: Buffer
      readonly actions?: Buffer
      readonly missesPreviousBlocks?: true
    }
  | {
      readonly ok: true
      readonly accepted: false
      readonly exitCode?: number
      /** Instructions that ran, if the pool counts them; else those in `logTail`. */
      readonly steps: number
      /** The last 256 characters of the executor's log, as nodes report them. */
      readonly logTail: string
      readonly missesPreviousBlocks?: true
    }
  | TvmFailure

/** Threads, queues and time limits of a pool. */
export interface TvmPoolOptions {
  /** Default 1. */
  readonly threads?: number
  /** Time limit of one call. Default 2,000 ms; 1,000,000 gas take about 0.3 s. */
  readonly timeoutMs?: number
  /** Calls waiting for a thread; further ones are rejected with `QueueFull`. Default 10,000. */
  readonly maxWaiting?: number
  /** The same for each client. Default: no limit of its own. */
  readonly maxWaitingPerClient?: number
  /** Threads that one client may occupy. Default: all. */
  readonly maxRunningPerClient?: number
  /** A thread whose WebAssembly memory, which never shrinks, exceeds this is replaced. Default 256 MiB. */
  readonly maxHeapBytes?: number
  /** Time without a call after which a thread ends, since its memory never shrinks. Default: it stays. */
  readonly idleMs?: number
  /** Whether `steps` of refused messages is complete, which makes emulations slower. Default false. */
  readonly countsSteps?: boolean
  /** Lets the other threads of the process go first. Linux only; default: false. */
  readonly isBackground?: boolean
  /** Number of cached results, of at most 32 MiB together; 0 disables the cache. Default 20,000. */
  readonly cacheSize?: number
  /** Clock by which suspended codes heal. Milliseconds; default: `performance.now`. */
  readonly now?: () => number
}
