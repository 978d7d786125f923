/**
 * Messages between the pool and its worker threads. Bags of cells are base64, because the executor takes
 * text.
 */
export interface EnvironmentMessage {
  readonly type: 'environment'
  readonly id: number
  readonly config: string
  readonly libraries: string
}

/** A run of a get-method. Amounts and gas are decimal texts; `now`: Unix seconds, `seed`: hex. */
export interface RunMessage {
  readonly type: 'run'
  readonly task: number
  readonly environment: number
  readonly code: string
  readonly data: string
  readonly stack: string
  readonly methodId: number
  readonly address: string
  readonly now: number
  readonly balance: string
  /** As the executor takes them: `extraCurrenciesOf`. */
  readonly extraCurrencies?: Readonly<Record<string, string>>
  /** `VmStackValue`; absent if there are none. */
  readonly previousBlocks?: string
  readonly seed: string
  readonly gasLimit: string
}

/** A message to an account. */
export interface EmulateMessage {
  readonly type: 'emulate'
  readonly task: number
  readonly environment: number
  readonly shardAccount: string
  readonly message: string
  readonly now: number
  readonly lt: string
  readonly seed: string
  readonly previousBlocks?: string
  readonly ignoreSignatures: boolean
}

/** Messages to a thread that runs the TVM. */
export type WorkerRequest = EnvironmentMessage | RunMessage | EmulateMessage

/** What the thread posts: that it is ready, and one answer per task. */
export type WorkerReply =
  /** `compiled`: the executor, unless the thread was given it. */
  | { readonly type: 'ready'; readonly compiled?: WebAssembly.Module }
  | {
      readonly type: 'done'
      readonly task: number
      readonly exitCode: number
      readonly gasUsed: number
      /** Bag of cells, base64. */
      readonly stack: string
      readonly missingLibrary: string | null
      readonly missesPreviousBlocks: boolean
      readonly readsConfig: boolean
      readonly readsMoment: boolean
      readonly heapBytes: number
    }
  /** `transaction` is null if the contract did not accept the message. Bags of cells are base64. */
  | {
      readonly type: 'emulated'
      readonly task: number
      readonly transaction: string | null
      readonly shardAccount: string | null
      readonly exitCode: number | null
      /** `OutList` of the run. */
      readonly actions: string | null
      /** Present when the message was not accepted. */
      readonly refusedRun?: { readonly steps: number; readonly logTail: string }
      readonly missesPreviousBlocks: boolean
      readonly heapBytes: number
    }
  | { readonly type: 'refused'; readonly task: number; readonly error: string; readonly heapBytes: number }
  /** The executor threw: its memory can no longer be trusted and the thread ends. */
  | { readonly type: 'broken'; readonly task: number; readonly error: string }

/**
 * Environments cached per thread: full and slim configuration of two masterchain blocks. The oldest is
 * dropped first.
 */
export const MAX_ENVIRONMENTS = 4
