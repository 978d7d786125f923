// Classification.
export {
  basicTree,
  type Classification,
  type ClassificationFailure,
  type ClassificationState,
  type ClassifyOptions,
  classifyTrace,
} from './classify.ts'
// What contracts are known to be.
export {
  type AccountFacts,
  type ContractFacts,
  type DedustPoolFact,
  type JettonWalletFact,
  type MultisigOrderFact,
  type NftAuctionFact,
  type NftItemFact,
  type NftSaleFact,
  NOMINATOR_POOL_CODE_HASH,
} from './facts.ts'
// Stored rows.
export { type ActionRow, ADDRESS_COLUMNS, type Columns, rowToJson } from './row.ts'
// Traces.
export type { Address, Hash, Trace, TraceMessage, TraceTransaction } from './trace.ts'
export { parseTraceFile, readTraceFile, type TraceFile, TraceFileError } from './trace-file.ts'
