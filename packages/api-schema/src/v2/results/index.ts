import * as z from 'zod'
import {
  AddressInformation,
  accountStatus,
  ExtendedAddressInformation,
  WalletInformation,
} from './accounts.ts'
import {
  BlockData,
  BlockHeader,
  BlockSignatures,
  ConsensusBlock,
  MasterchainInfo,
  OutMsgQueueSizes,
  ShardBlockProof,
  Shards,
} from './blocks.ts'
import { ConfigInfo, LibraryResult } from './config.ts'
import { DetectedAddress, DetectedHash } from './detected.ts'
import { DnsResolved } from './dns.ts'
import { BlockId, Cell, digits, object, text } from './parts.ts'
import { ExtMessageInfo, QueryFees } from './sending.ts'
import { RunResult, RunResultStd } from './stack.ts'
import { TokenData } from './tokens.ts'
import { BlockTransactions, BlockTransactionsExt, Transaction, TransactionsStd } from './transactions.ts'

/**
 * `result` of a reply, by the name of the method. Schemas and members have the names with which TON Center
 * describes them; keys are in output order.
 */
export const V2_RESULTS = {
  getAddressInformation: AddressInformation,
  getExtendedAddressInformation: ExtendedAddressInformation,
  getWalletInformation: WalletInformation,
  getAddressBalance: digits,
  getAddressState: accountStatus,
  getTokenData: TokenData,
  getShardAccountCell: Cell,
  getMasterchainInfo: MasterchainInfo,
  getMasterchainBlockSignatures: BlockSignatures,
  getShardBlockProof: ShardBlockProof,
  getConsensusBlock: ConsensusBlock,
  lookupBlock: BlockId,
  getShards: Shards,
  getBlockHeader: BlockHeader,
  getBlock: BlockData,
  getOutMsgQueueSize: OutMsgQueueSizes,
  getBlockTransactions: BlockTransactions,
  getBlockTransactionsExt: BlockTransactionsExt,
  getTransactions: z.array(Transaction),
  getTransactionsStd: TransactionsStd,
  tryLocateTx: Transaction,
  tryLocateResultTx: Transaction,
  tryLocateSourceTx: Transaction,
  sendBoc: object('ResultOk', 'ok', {}),
  sendBocReturnHash: ExtMessageInfo,
  sendBocReturnHashNoError: ExtMessageInfo,
  estimateFee: QueryFees,
  runGetMethod: RunResult,
  runGetMethodStd: RunResultStd,
  detectAddress: DetectedAddress,
  detectHash: DetectedHash,
  packAddress: text,
  unpackAddress: text,
  getConfigParam: ConfigInfo,
  getConfigAll: ConfigInfo,
  getLibraries: LibraryResult,
  dnsResolve: DnsResolved,
} as const satisfies Readonly<Record<string, z.ZodType>>

/** The type of the result of each method. */
type Results = typeof V2_RESULTS
export type V2Results = { readonly [Method in keyof Results]: z.output<Results[Method]> }
