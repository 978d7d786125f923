/** What the pool and its worker threads say to each other. Bags of cells travel as base64: the executor takes text. */
export interface EnvironmentMessage {
  readonly type: 'environment'
  readonly id: number
  readonly config: string
  readonly libraries: string
}

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
  readonly extraCurrencies?: Readonly<Record<string, string>>
  /** `VmStackValue`; absent: none. */
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

export type WorkerRequest = EnvironmentMessage | RunMessage | EmulateMessage

export type WorkerReply =
  | { readonly type: 'ready' }
  | {
      readonly type: 'done'
      readonly task: number
      readonly exitCode: number
      readonly gasUsed: number
      /** Bag of cells, base64. */
      readonly stack: string
      readonly missingLibrary: string | null
      readonly missesPreviousBlocks: boolean
      readonly heapBytes: number
    }
  /** `transaction` null: the contract did not accept the message. Bag of cells, base64. */
  | {
      readonly type: 'emulated'
      readonly task: number
      readonly transaction: string | null
      readonly shardAccount: string | null
      readonly exitCode: number | null
      /** `OutList` that the run left behind. */
      readonly actions: string | null
      readonly missesPreviousBlocks: boolean
      readonly heapBytes: number
    }
  | { readonly type: 'refused'; readonly task: number; readonly error: string; readonly heapBytes: number }
  /** The executor threw: its memory cannot be trusted any more and the thread ends. */
  | { readonly type: 'broken'; readonly task: number; readonly error: string }

/** Environments that a thread remembers: full and slim configuration of two masterchain blocks. The oldest goes first. */
export const MAX_ENVIRONMENTS = 4
