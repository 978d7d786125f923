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
  /** Of the account's cell. */
  readonly hash: Buffer
  readonly status: AccountStatus
  readonly balance: bigint
  readonly extraCurrencies?: ExtraCurrencies | undefined
  readonly frozenHash?: Buffer | undefined
  readonly code?: Cell | undefined
  readonly data?: Cell | undefined
  /** The `Account` cell; undefined: there is no account. */
  readonly cell?: Cell | undefined
  readonly lastTransLt: bigint
  readonly lastTransHash: Buffer
  /** lt after the messages of the last transaction. */
  readonly storageLt: bigint
}

export interface EmulatedTransaction {
  readonly transaction: DecodedTransaction
  /** Index of the transaction that sent the inbound message; undefined: the root. */
  readonly parent: number | undefined
  /** 0: the root. */
  readonly depth: number
  /** The block in which it would be, and the masterchain block that would commit that. Predictions. */
  readonly block: ShortBlockId
  readonly mcBlockSeqno: number
  readonly before: AccountView
  readonly after: AccountView
}

export interface EmulatedTrace {
  /** The masterchain block whose state was used. */
  readonly mcBlock: BlockId
  /** The random seed of every block of the trace. */
  readonly seed: Buffer
  readonly message: DecodedMessage
  /** The root first, senders before receivers. */
  readonly transactions: readonly EmulatedTransaction[]
  /** Messages that have no transaction because a limit or a failure came between. */
  readonly isIncomplete: boolean
}

/** A shard's newest block as of the masterchain block. */
export interface ShardPlace {
  readonly workchain: number
  readonly shard: ShardId
  readonly seqno: number
}

export interface RunInput {
  readonly account: AccountView
  /** A bag of cells (`ShardAccount`) that an earlier transaction left. */
  readonly shardAccount: Uint8Array | undefined
  readonly message: Cell
  /** Code that the message brings along. */
  readonly initCode: Cell | undefined
  readonly now: number
  readonly lt: bigint
  readonly seed: Buffer
  readonly ignoreSignatures: boolean
}

/** The chain as of one masterchain block. */
export interface ChainView {
  readonly mcBlock: BlockId
  /** Greatest gen_utime and end_lt of the block and of the shard blocks that it commits. */
  readonly utime: number
  readonly endLt: bigint
  /** Those of all shards, the masterchain included. */
  readonly shards: readonly ShardPlace[]
  account(address: RawAddress): Promise<AccountView>
  run(input: RunInput): Promise<EmulateResult>
}
