import type { Cell } from '@shardwalk/cells'
import type { StackValue } from '@shardwalk/contracts'
import type { ExtraCurrencies, PreviousBlocks, RawAddress } from '@shardwalk/model'

/** Configuration and public libraries of a masterchain state, known to the workers by number. Made by `TvmPool.environment`. */
export interface TvmEnvironment {
  readonly id: number
  /** Bags of cells, base64. */
  readonly config: string
  readonly libraries: string
}

export interface GetMethodCall {
  readonly environment: TvmEnvironment
  /** Bags of cells. A library cell as code is resolved from the environment's libraries. */
  readonly code: Uint8Array
  readonly data: Uint8Array
  /** When given, code that timed out or crashed three times in a row is refused without a run (and tried again now and then). */
  readonly codeHash?: Uint8Array
  readonly address: RawAddress
  /** Name, or method id. */
  readonly method: string | number
  readonly args?: readonly StackValue[]
  /** Unix seconds: gen_utime of the account's shard block. */
  readonly now: number
  /** Nanotons; default 0. */
  readonly balance?: bigint
  /** Extra currencies by id. The executor takes one at most: with several the contract sees none. */
  readonly extraCurrencies?: ExtraCurrencies
  /** What PREVMCBLOCKS and its like give; default: nothing, and the result says when that was looked at. */
  readonly previousBlocks?: PreviousBlocks
  /** 32 bytes; default: SHA-256 of the address, so that equal calls give equal answers. */
  readonly seed?: Uint8Array
  /** Default 1,000,000; at most 10,000,000. */
  readonly gasLimit?: number
}

/**
 * What became of a call. `ok`: TVM ran to its end; exit codes 0 and 1 are success, every other is the contract's (11: no such method, -14:
 * out of gas). `reason` when not ok: `timeout` (thread killed), `crashed` (executor died), `refused` (input the executor does not take),
 * `too_big` (a result beyond our limits).
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
      /** The run looked at the previous blocks and the call had none: with them it may end otherwise. */
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
  /** Of the transaction to be made: later than the account's last one. */
  readonly lt: bigint
  readonly ignoreSignatures: boolean
  /** As of get-methods. */
  readonly previousBlocks?: PreviousBlocks
  /** 32 bytes: `rand_seed` of the block; default: SHA-256 of the message's hash, so that equal calls give equal answers. */
  readonly seed?: Uint8Array
}

/**
 * Bags of cells. `shardAccount`: block.tlb `ShardAccount` after the transaction; `actions`: `OutList` that the run left, absent when it did not
 * succeed. `exitCode`: why a contract did not accept the message; absent when it was refused before any code ran. `missesPreviousBlocks`: as of
 * get-methods.
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
  /** Wall clock of one call, default 2,000 ms: 1,000,000 gas take about 0.3 s. */
  readonly timeoutMs?: number
  /** Calls waiting for a thread; one more is refused with `TvmOverloaded`. Default 10,000. */
  readonly maxWaiting?: number
  /** A thread whose WebAssembly memory (it never shrinks) passed this is replaced after its call. Default 256 MiB. */
  readonly maxHeapBytes?: number
  /** Results remembered, default 20,000; 0: none. */
  readonly cacheSize?: number
}
