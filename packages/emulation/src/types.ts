import type { Cell } from '@shardwalk/cells'
import type {
  AccountStatus,
  BlockId,
  DecodedMessage,
  DecodedTransaction,
  ExtraCurrencies,
  RawAddress,
  ShardId,
  ShortBlockId,
} from '@shardwalk/model'
import type { EmulateResult } from '@shardwalk/tvm'

/** An account before or after a transaction. */
export interface AccountView {
  /** Hash of the account's cell. */
  readonly hash: Buffer
  readonly status: AccountStatus
  readonly balance: bigint
  readonly extraCurrencies?: ExtraCurrencies | undefined
  readonly frozenHash?: Buffer | undefined
  readonly code?: Cell | undefined
  readonly data?: Cell | undefined
  /** The `Account` cell; undefined when there is no account. */
  readonly cell?: Cell | undefined
  readonly lastTransLt: bigint
  readonly lastTransHash: Buffer
  /** lt after the messages of the last transaction. */
  readonly storageLt: bigint
}

/** A transaction in a block that is not final; it takes the place of an emulated one. */
export interface KnownTransaction {
  readonly transaction: DecodedTransaction
  /** The same as a bag of cells. */
  readonly boc: Uint8Array
  readonly block: ShortBlockId
  /** `rand_seed` of the block. */
  readonly seed: Buffer
}

/** A transaction that was emulated, or that is known to have happened. */
export interface EmulatedTransaction {
  readonly transaction: DecodedTransaction
  /** The same as a bag of cells. */
  readonly boc: Uint8Array
  /** Index of the transaction that sent the inbound message; undefined for the root. */
  readonly parent: number | undefined
  /** 0 for the root. */
  readonly depth: number
  /** Predicted block of the transaction, and the masterchain block that would commit it. */
  readonly block: ShortBlockId
  readonly mcBlockSeqno: number
  readonly before: AccountView
  readonly after: AccountView
  /**
   * Undefined: it has not happened. Otherwise `before` and `after` are as emulated, and differ from what
   * really was if other traces changed the account in blocks that are not final.
   */
  readonly known?: KnownTransaction | undefined
}

/** All that a message would cause. */
export interface EmulatedTrace {
  /** The masterchain block whose state was used. */
  readonly mcBlock: BlockId
  /** The random seed of every block of the trace. */
  readonly seed: Buffer
  readonly message: DecodedMessage
  /** The root first, senders before receivers. */
  readonly transactions: readonly EmulatedTransaction[]
  /** True when messages have no transaction because of a limit or a failure. */
  readonly isIncomplete: boolean
  /** Incomplete for lack of time or of a state: the same emulation may find more later. */
  readonly isCutShort: boolean
}

/** Newest block of a shard at the masterchain block. */
export interface ShardPlace {
  readonly workchain: number
  readonly shard: ShardId
  readonly seqno: number
}

/** One transaction to run. */
export interface RunInput {
  readonly account: AccountView
  /** A bag of cells (`ShardAccount`) that resulted from an earlier transaction. */
  readonly shardAccount: Uint8Array | undefined
  readonly message: Cell
  /** Code carried by the message. */
  readonly initCode: Cell | undefined
  readonly now: number
  readonly lt: bigint
  readonly seed: Buffer
  readonly ignoreSignatures: boolean
}

/** The chain at a masterchain block. */
export interface ChainView {
  readonly mcBlock: BlockId
  /** Greatest gen_utime and end_lt of the block and of the shard blocks that it commits. */
  readonly utime: number
  readonly endLt: bigint
  /** Places of all shards, including the masterchain. */
  readonly shards: readonly ShardPlace[]
  account(address: RawAddress): Promise<AccountView>
  run(input: RunInput): Promise<EmulateResult>
}
