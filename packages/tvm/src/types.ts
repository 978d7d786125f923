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

export interface GetMethodCall {
  readonly environment: TvmEnvironment
  /** Bags of cells. A library cell as code is resolved with the environment's libraries. */
  readonly code: Uint8Array
  readonly data: Uint8Array
  /**
   * If set, code that timed out or crashed three times in a row is refused, except for an occasional retry.
   */
  readonly codeHash?: Uint8Array
  readonly address: RawAddress
  /** Name or method id. */
  readonly method: string | number
  readonly args?: readonly StackValue[]
  /** Unix seconds: gen_utime of the account's shard block. */
  readonly now: number
  /** Nanotons. Default 0. */
  readonly balance?: bigint
  /** Extra currencies by id. The executor supports only one: with more, the contract sees none. */
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

/**
 * Outcome of a call. `ok`: TVM finished; exit codes 0 and 1 mean success, others come from the contract or
 * TVM (11: no such method, -14: out of gas). Otherwise `reason` is `timeout` (thread killed), `crashed`
 * (executor died), `refused` (input not supported by the executor) or `too_big` (result exceeds the limits).
 */
export type GetMethodResult =
  | {
      readonly ok: true
      readonly exitCode: number
      readonly gasUsed: number
      /** Bottom first. */
      readonly stack: readonly StackValue[]
      /** `VmStack` as a bag of cells. */
      readonly stackBoc: Buffer
      /** Hash of a library that the run needed and the environment lacks. */
      readonly missingLibrary?: Buffer
      /** The run used the previous blocks, which the call did not supply: with them its result may differ. */
      readonly missesPreviousBlocks?: true
    }
  | TvmFailure

export interface TvmFailure {
  readonly ok: false
  readonly reason: 'timeout' | 'crashed' | 'refused' | 'too_big'
  readonly message: string
}

export interface EmulateCall {
  readonly environment: TvmEnvironment
  /** block.tlb `ShardAccount`. */
  readonly shardAccount: Cell
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
      readonly missesPreviousBlocks?: true
    }
  | TvmFailure

export interface TvmPoolOptions {
  /** Default 1. */
  readonly threads?: number
  /** Time limit of one call. Default 2,000 ms; 1,000,000 gas take about 0.3 s. */
  readonly timeoutMs?: number
  /** Calls waiting for a thread; further ones are rejected with `TvmOverloaded`. Default 10,000. */
  readonly maxWaiting?: number
  /** A thread whose WebAssembly memory, which never shrinks, exceeds this is replaced. Default 256 MiB. */
  readonly maxHeapBytes?: number
  /** Number of cached results; 0 disables the cache. Default 20,000. */
  readonly cacheSize?: number
}
