import type { RawAddress } from './account.ts'
import type { BlockId, ShortBlockId } from './block-id.ts'
import type { Lt, McBlockSeqno, Nanotons } from './flavour.ts'

/** block.tlb `AccountStatus` by the names of API v3. Tables store the index, so the order must not change. */
export const ACCOUNT_STATUS = ['uninit', 'frozen', 'active', 'nonexist'] as const
/** An element of `ACCOUNT_STATUS`. */
export type AccountStatus = (typeof ACCOUNT_STATUS)[number]

const [UNINIT, FROZEN] = [ACCOUNT_STATUS.indexOf('uninit'), ACCOUNT_STATUS.indexOf('frozen')]

/**
 * Status of the state that a transaction left, from its `end_status` (an index of `ACCOUNT_STATUS`). Before
 * global version 13 they differ if the hash of what is frozen is the account's address: its state is `uninit`
 * and has no hash. Source: node, doc/GlobalVersions.md, version 13; crypto/block/transaction.cpp,
 * `compute_state`.
 */
export const statusOfState = (endStatus: number, frozenHash: Buffer | null): number =>
  endStatus === FROZEN && frozenHash === null ? UNINIT : endStatus

/** Kinds of transaction description. Tables store the index, so the order must not change. */
export const TRANSACTION_KIND = [
  'ord',
  'storage',
  'tick_tock',
  'split_prepare',
  'split_install',
  'merge_prepare',
  'merge_install',
] as const
/** An element of `TRANSACTION_KIND`. */
export type TransactionKind = (typeof TRANSACTION_KIND)[number]

/** Kinds of messages; their position is stored. Source: block.tlb, `CommonMsgInfo`. */
export const MESSAGE_KIND = ['internal', 'external_in', 'external_out'] as const
/** An element of `MESSAGE_KIND`. */
export type MessageKind = (typeof MESSAGE_KIND)[number]

/**
 * Limit of messages that a transaction can send, and so of the difference between their lt and its own.
 * Source: block.tlb `outmsg_cnt:uint15`.
 */
export const MAX_OUT_MESSAGES = 1 << 15

/** Amount by extra currency id. Never empty; undefined instead. */
export type ExtraCurrencies = ReadonlyMap<number, bigint>

/** Distinct cells and their bits. Source: block.tlb, `storage_used$_`. */
export interface StorageUsed {
  readonly cells: bigint
  readonly bits: bigint
}

/** Source: block.tlb, `AccStatusChange`. */
export type StatusChange = 'unchanged' | 'frozen' | 'deleted'

/** Source: block.tlb, `tr_phase_storage$_`. */
export interface StoragePhase {
  readonly storageFeesCollected: Nanotons
  readonly storageFeesDue?: Nanotons
  readonly statusChange: StatusChange
}

/** Source: block.tlb, `tr_phase_credit$_`. */
export interface CreditPhase {
  readonly dueFeesCollected?: Nanotons
  readonly credit: Nanotons
  readonly creditExtraCurrencies?: ExtraCurrencies
}

/** Source: block.tlb, `TrComputePhase`. */
export type ComputePhase =
  | { readonly skipped: true; readonly reason: 'no_state' | 'bad_state' | 'no_gas' | 'suspended' }
  | {
      readonly skipped: false
      readonly success: boolean
      readonly msgStateUsed: boolean
      readonly accountActivated: boolean
      readonly gasFees: Nanotons
      readonly gasUsed: bigint
      readonly gasLimit: bigint
      readonly gasCredit?: bigint
      readonly mode: number
      readonly exitCode: number
      readonly exitArg?: number
      readonly vmSteps: number
      readonly vmInitStateHash: Buffer
      readonly vmFinalStateHash: Buffer
    }

/** Source: block.tlb, `tr_phase_action$_`. */
export interface ActionPhase {
  readonly success: boolean
  readonly valid: boolean
  readonly noFunds: boolean
  readonly statusChange: StatusChange
  readonly totalFwdFees?: Nanotons
  readonly totalActionFees?: Nanotons
  readonly resultCode: number
  readonly resultArg?: number
  readonly totActions: number
  readonly specActions: number
  readonly skippedActions: number
  readonly msgsCreated: number
  readonly actionListHash: Buffer
  readonly totMsgSize: StorageUsed
}

/** Source: block.tlb, `TrBouncePhase`. */
export type BouncePhase =
  | { readonly type: 'negfunds' }
  | { readonly type: 'nofunds'; readonly msgSize: StorageUsed; readonly reqFwdFees: Nanotons }
  | {
      readonly type: 'ok'
      readonly msgSize: StorageUsed
      readonly msgFees: Nanotons
      readonly fwdFees: Nanotons
    }

/** Source: block.tlb, `split_merge_info$_`. */
export interface SplitMergeInfo {
  readonly curShardPfxLen: number
  readonly accSplitDepth: number
  /** 32 bytes each. */
  readonly thisAddr: Buffer
  readonly siblingAddr: Buffer
}

/**
 * block.tlb `TransactionDescr`, all seven kinds. A field is present if the kind has it and the phase took
 * place.
 */
export interface TransactionDescription {
  readonly kind: TransactionKind
  readonly aborted?: boolean
  readonly destroyed?: boolean
  readonly creditFirst?: boolean
  readonly isTock?: boolean
  readonly installed?: boolean
  readonly storagePhase?: StoragePhase
  readonly creditPhase?: CreditPhase
  readonly computePhase?: ComputePhase
  readonly actionPhase?: ActionPhase
  readonly bouncePhase?: BouncePhase
  readonly splitInfo?: SplitMergeInfo
}

/**
 * One message as contained in a transaction. Units: nanotons, logical time, Unix seconds. `hash` is the hash
 * of the message cell; `hashNorm` is the TEP-467 hash, set only for external-in messages for which it
 * differs.
 */
export interface DecodedMessage {
  readonly kind: MessageKind
  /** Set on a message that no transaction sent: `recover_create_msg` or `mint_msg` of `McBlockExtra`. */
  readonly isSystem?: boolean
  readonly hash: Buffer
  readonly hashNorm?: Buffer
  /** Undefined for external-in. */
  readonly source?: RawAddress
  /** Undefined for external-out, and for an internal message whose destination is not `addr_std`. */
  readonly destination?: RawAddress
  /** Bits of an external-out destination, left-aligned; contracts use them as event topics. */
  readonly externalDestination?: { readonly bits: number; readonly bytes: Buffer }
  readonly value?: Nanotons
  readonly valueExtraCurrencies?: ExtraCurrencies
  readonly fwdFee?: Nanotons
  /** The field is `ihr_fee` before global version 12 and `extra_flags` since; the sink decides by version. */
  readonly ihrFeeOrExtraFlags?: bigint
  readonly importFee?: Nanotons
  readonly createdLt?: Lt
  readonly createdAt?: number
  readonly ihrDisabled?: boolean
  readonly bounce?: boolean
  readonly bounced?: boolean
  /** First 32 bits of the body, unsigned; undefined if the body is shorter or exotic. */
  readonly opcode?: number
  readonly bodyHash: Buffer
  /** Body cell as a bag of cells in the shortest form (no index, no CRC). */
  readonly body: Buffer
  readonly initStateHash?: Buffer
  readonly initState?: Buffer
}

/** State of an account after its last transaction in a block, from the block's Merkle update. */
export interface AccountStateAfter {
  readonly status: AccountStatus
  readonly balance: Nanotons
  /**
   * Undefined if there are none, or if the block does not contain all of them; then the hash below is set.
   */
  readonly extraCurrencies?: ExtraCurrencies
  /** Hash of the dictionary of extra currencies, set if the block does not contain all of it. */
  readonly extraCurrenciesHash?: Buffer
  /** That dictionary with pruned branches, as a bag of cells; undefined if its root is pruned. */
  readonly extraCurrenciesPart?: Buffer
  readonly frozenHash?: Buffer
  readonly codeHash?: Buffer
  readonly dataHash?: Buffer
  /**
   * What the data hold as balance if they begin like those of a jetton wallet: see `readJettonBalance`.
   * Undefined if the block does not contain their first cell.
   */
  readonly jettonBalance?: bigint
  /** Undefined if the block does not contain the complete tree. */
  readonly code?: Buffer
  readonly data?: Buffer
  /**
   * Set if `code` or `data` is incomplete: a bag with one root for each incomplete tree, with pruned branches
   * for unchanged cells. Trees whose root is pruned are not in it.
   */
  readonly parts?: Buffer
  /** Public libraries that the account publishes, as far as the block contains them completely. */
  readonly libraries?: readonly { readonly hash: Buffer; readonly code: Buffer }[]
}

/**
 * A part of a block that cannot be decoded or stored. It is kept as bytes; the rest of the block is indexed.
 * `state`: of an account after its last transaction in the block.
 */
export interface UnreadPart {
  readonly kind: 'transaction' | 'state'
  readonly account: RawAddress
  /** Of the transaction, or of the last one before the state. */
  readonly lt: Lt
  /** Of the transaction cell, or level 0 of the Account cell. */
  readonly hash: Buffer
  /**
   * The cell as a bag of cells, possibly with pruned branches; undefined if the block does not contain it.
   */
  readonly boc?: Buffer
  /** Error message with the path to the field. */
  readonly reason: string
}

/** A transaction with its messages; `now` in Unix seconds. Source: block.tlb, `transaction$0111`. */
export interface DecodedTransaction {
  readonly account: RawAddress
  readonly hash: Buffer
  readonly lt: Lt
  readonly prevTransHash: Buffer
  readonly prevTransLt: Lt
  readonly now: number
  readonly origStatus: AccountStatus
  readonly endStatus: AccountStatus
  readonly totalFees: Nanotons
  readonly totalFeesExtraCurrencies?: ExtraCurrencies
  readonly stateHashBefore: Buffer
  readonly stateHashAfter: Buffer
  readonly description: TransactionDescription
  readonly inMsg?: DecodedMessage
  /** In index order; message i has createdLt = lt + 1 + i. */
  readonly outMsgs: readonly DecodedMessage[]
  /** Set on the account's last transaction in the block. */
  readonly stateAfter?: AccountStateAfter
}

/** block.tlb `BlockInfo` and the fields of `BlockExtra` that the tables store. */
export interface BlockHeader {
  readonly globalId: number
  readonly version: number
  readonly flags: number
  readonly vertSeqno: number
  readonly afterMerge: boolean
  readonly beforeSplit: boolean
  readonly afterSplit: boolean
  readonly wantSplit: boolean
  readonly wantMerge: boolean
  readonly keyBlock: boolean
  readonly vertSeqnoIncr: boolean
  readonly notMaster: boolean
  readonly genUtime: number
  readonly startLt: Lt
  readonly endLt: Lt
  /** uint32. */
  readonly validatorListHashShort: number
  readonly genCatchainSeqno: number
  readonly minRefMcSeqno: McBlockSeqno
  readonly prevKeyBlockSeqno: McBlockSeqno
  /** Seqno of `master_ref`; 0 for masterchain blocks. */
  readonly masterRefSeqno: McBlockSeqno
  /** `gen_software`; undefined in the oldest blocks. */
  readonly genSoftware?: { readonly version: number; readonly capabilities: bigint }
  readonly randSeed: Buffer
  readonly createdBy: Buffer
}

/** One leaf of block.tlb `ShardHashes`. Seqno 0 is the workchain's zerostate, for which there is no block. */
export interface ShardTop extends BlockId {
  readonly regMcSeqno: McBlockSeqno
  readonly startLt: Lt
  readonly endLt: Lt
  readonly beforeSplit: boolean
  readonly beforeMerge: boolean
  readonly wantSplit: boolean
  readonly wantMerge: boolean
  readonly genUtime: number
  readonly minRefMcSeqno: McBlockSeqno
  readonly nextCatchainSeqno: number
}

/**
 * Of a network that is newer than this program, as forms that are not known show: what is known to have
 * changed with a version has changed.
 */
export const NEWER_GLOBAL_VERSION = 0xffffffff

/** Header of a block without its transactions: what the shard walk needs. */
export interface BlockSkeleton {
  readonly id: BlockId
  readonly header: BlockHeader
  /** One predecessor, or two after a merge (left child first). Seqno 0 is a zerostate. */
  readonly prev: readonly BlockId[]
  /** Shard configuration that a masterchain block commits, in tree order; undefined for shard blocks. */
  readonly shardTops?: readonly ShardTop[]
  /**
   * The last key block before a masterchain block; undefined if that is the zerostate, or if the state does
   * not show it.
   */
  readonly prevKeyBlock?: BlockId
  /** Global version from config parameter 8; only in key blocks that have it. */
  readonly globalVersion?: number
}

/** A block with its transactions. */
export interface DecodedBlock extends BlockSkeleton {
  /** Ordered by account, then lt. */
  readonly transactions: readonly DecodedTransaction[]
  /** Transactions and states that could not be decoded; undefined if there are none. */
  readonly unread?: readonly UnreadPart[]
}

/** Transactions of the block, those that could not be decoded included. */
export const countTransactions = ({
  transactions,
  unread = [],
}: Pick<DecodedBlock, 'transactions' | 'unread'>): number =>
  transactions.length + unread.filter(({ kind }) => kind === 'transaction').length

/** One masterchain block with the shard blocks it commits, predecessors first. */
export interface Batch<B = DecodedBlock> {
  readonly masterchain: B
  readonly shards: readonly B[]
}

/** A block as it was received. */
export interface RawBlock {
  readonly id: BlockId
  readonly bytes: Buffer
}

export type { ShortBlockId }
