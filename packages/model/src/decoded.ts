import type { RawAddress } from './account.ts'
import type { BlockId, ShortBlockId } from './block-id.ts'

/** Order of the numbers is the order of block.tlb `AccountStatus` names in API v3: the number is stored. */
export const ACCOUNT_STATUS = ['uninit', 'frozen', 'active', 'nonexist'] as const
export type AccountStatus = (typeof ACCOUNT_STATUS)[number]

/** Kinds of transaction description; the index is stored. */
export const TRANSACTION_KIND = [
  'ord',
  'storage',
  'tick_tock',
  'split_prepare',
  'split_install',
  'merge_prepare',
  'merge_install',
] as const
export type TransactionKind = (typeof TRANSACTION_KIND)[number]

export const MESSAGE_KIND = ['internal', 'external_in', 'external_out'] as const
export type MessageKind = (typeof MESSAGE_KIND)[number]

/** Extra currency id -> amount. Undefined instead of an empty map. */
export type ExtraCurrencies = ReadonlyMap<number, bigint>

export interface StorageUsed {
  readonly cells: bigint
  readonly bits: bigint
}

export type StatusChange = 'unchanged' | 'frozen' | 'deleted'

export interface StoragePhase {
  readonly storageFeesCollected: bigint
  readonly storageFeesDue?: bigint
  readonly statusChange: StatusChange
}

export interface CreditPhase {
  readonly dueFeesCollected?: bigint
  readonly credit: bigint
  readonly creditExtraCurrencies?: ExtraCurrencies
}

export type ComputePhase =
  | { readonly skipped: true; readonly reason: 'no_state' | 'bad_state' | 'no_gas' | 'suspended' }
  | {
      readonly skipped: false
      readonly success: boolean
      readonly msgStateUsed: boolean
      readonly accountActivated: boolean
      readonly gasFees: bigint
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

export interface ActionPhase {
  readonly success: boolean
  readonly valid: boolean
  readonly noFunds: boolean
  readonly statusChange: StatusChange
  readonly totalFwdFees?: bigint
  readonly totalActionFees?: bigint
  readonly resultCode: number
  readonly resultArg?: number
  readonly totActions: number
  readonly specActions: number
  readonly skippedActions: number
  readonly msgsCreated: number
  readonly actionListHash: Buffer
  readonly totMsgSize: StorageUsed
}

export type BouncePhase =
  | { readonly type: 'negfunds' }
  | { readonly type: 'nofunds'; readonly msgSize: StorageUsed; readonly reqFwdFees: bigint }
  | { readonly type: 'ok'; readonly msgSize: StorageUsed; readonly msgFees: bigint; readonly fwdFees: bigint }

export interface SplitMergeInfo {
  readonly curShardPfxLen: number
  readonly accSplitDepth: number
  /** 32 bytes each. */
  readonly thisAddr: Buffer
  readonly siblingAddr: Buffer
}

/** block.tlb `TransactionDescr`, all seven kinds; a field is present exactly when the kind has it and the phase happened. */
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
 * One message as it sits in a transaction. Units: nanotons, logical time, Unix seconds.
 * `hash`: hash of the message cell; `hashNorm`: TEP-467 hash, only for external-in and only when it differs from `hash`.
 */
export interface DecodedMessage {
  readonly kind: MessageKind
  /** Set on a message that no transaction sent: `recover_create_msg` or `mint_msg` of McBlockExtra. */
  readonly isSystem?: boolean
  readonly hash: Buffer
  readonly hashNorm?: Buffer
  /** Undefined for external-in. */
  readonly source?: RawAddress
  /** Undefined for external-out, and for an internal message to an address that is not `addr_std`. */
  readonly destination?: RawAddress
  /** Bits of an external destination (external-out) as they stand, with their length; kept because events use them as topics. */
  readonly externalDestination?: { readonly bits: number; readonly bytes: Buffer }
  readonly value?: bigint
  readonly valueExtraCurrencies?: ExtraCurrencies
  readonly fwdFee?: bigint
  /** Slot that was `ihr_fee` before global version 12 and is `extra_flags` since; the sink decides by the version. */
  readonly ihrFeeOrExtraFlags?: bigint
  readonly importFee?: bigint
  readonly createdLt?: bigint
  readonly createdAt?: number
  readonly ihrDisabled?: boolean
  readonly bounce?: boolean
  readonly bounced?: boolean
  /** First 32 bits of the body, unsigned; undefined when the body has fewer bits or is exotic. */
  readonly opcode?: number
  readonly bodyHash: Buffer
  /** Body cell as a bag of cells (no index, no CRC: shortest form). */
  readonly body: Buffer
  readonly initStateHash?: Buffer
  readonly initState?: Buffer
}

/** State of an account after its last transaction in a block, read from the block's own Merkle update. */
export interface AccountStateAfter {
  readonly status: AccountStatus
  readonly balance: bigint
  readonly extraCurrencies?: ExtraCurrencies
  readonly frozenHash?: Buffer
  readonly codeHash?: Buffer
  readonly dataHash?: Buffer
  /** Complete cells only (a tree with pruned branches is never kept); undefined when the block does not carry them. */
  readonly code?: Buffer
  readonly data?: Buffer
  /** Where `data` is incomplete: what the block shows of it, with pruned branches in place of cells that the state before had. */
  readonly dataPart?: Buffer
  /** Public libraries that the account publishes, those that the block carries whole. */
  readonly libraries?: readonly { readonly hash: Buffer; readonly code: Buffer }[]
}

export interface DecodedTransaction {
  readonly account: RawAddress
  readonly hash: Buffer
  readonly lt: bigint
  readonly prevTransHash: Buffer
  readonly prevTransLt: bigint
  readonly now: number
  readonly origStatus: AccountStatus
  readonly endStatus: AccountStatus
  readonly totalFees: bigint
  readonly totalFeesExtraCurrencies?: ExtraCurrencies
  readonly stateHashBefore: Buffer
  readonly stateHashAfter: Buffer
  readonly description: TransactionDescription
  readonly inMsg?: DecodedMessage
  /** In index order; message i has createdLt = lt + 1 + i. */
  readonly outMsgs: readonly DecodedMessage[]
  /** Present on the account's last transaction in the block. */
  readonly stateAfter?: AccountStateAfter
}

/** block.tlb `BlockInfo` and the parts of `BlockExtra` that the tables hold. */
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
  readonly startLt: bigint
  readonly endLt: bigint
  /** uint32. */
  readonly validatorListHashShort: number
  readonly genCatchainSeqno: number
  readonly minRefMcSeqno: number
  readonly prevKeyBlockSeqno: number
  /** seqno of `master_ref`; 0 for masterchain blocks. */
  readonly masterRefSeqno: number
  /** `gen_software`, absent in the oldest blocks. */
  readonly genSoftware?: { readonly version: number; readonly capabilities: bigint }
  readonly randSeed: Buffer
  readonly createdBy: Buffer
}

/** One leaf of `ShardHashes`. seqno 0 means the workchain's zerostate: no block to fetch. */
export interface ShardTop extends BlockId {
  readonly regMcSeqno: number
  readonly startLt: bigint
  readonly endLt: bigint
  readonly beforeSplit: boolean
  readonly beforeMerge: boolean
  readonly wantSplit: boolean
  readonly wantMerge: boolean
  readonly genUtime: number
  readonly minRefMcSeqno: number
  readonly nextCatchainSeqno: number
}

/** Header part of a block: what the walk needs, without transactions. */
export interface BlockSkeleton {
  readonly id: BlockId
  readonly header: BlockHeader
  /** One, or two after a merge (left child first). seqno 0 is a zerostate. */
  readonly prev: readonly BlockId[]
  /** Masterchain blocks only: the shard configuration it commits, in tree order. */
  readonly shardTops?: readonly ShardTop[]
  /** Key blocks only: global version from config parameter 8, if present. */
  readonly globalVersion?: number
}

export interface DecodedBlock extends BlockSkeleton {
  /** By account (ascending), then lt. */
  readonly transactions: readonly DecodedTransaction[]
}

/** One masterchain block with the shard blocks it commits, predecessors first, then the masterchain block's own data. */
export interface Batch<B = DecodedBlock> {
  readonly masterchain: B
  readonly shards: readonly B[]
}

export interface RawBlock {
  readonly id: BlockId
  readonly bytes: Buffer
}

export type { ShortBlockId }
