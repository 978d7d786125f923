// Classification.
export { type Classification, classifyTrace, factsWanted, OpenTrace } from './classify.ts'
// Facts about contracts, which are loaded before classifying.
export { type AccountFacts, type ContractFacts, NOMINATOR_POOL_CODE_HASH } from './facts.ts'
// Files that are read.
export { TraceFileError } from './file-fields.ts'
export { MARKETPLACES, readMarketplaces } from './marketplaces.ts'
// API v3: the JSON of each type.
export { RENDERED_TYPES, renderAction } from './render-action.ts'
// Stored rows.
export { type ActionRow, rowToJson } from './row.ts'
// Types that a client supports.
export { expandSupportedTypes, isShown, knowsGasless, STORED_ACTION_TYPES } from './supported-types.ts'
// Traces.
export type { Address, Trace, TraceMessage, TraceTransaction } from './trace.ts'
export { parseTraceFile, readTraceFile } from './trace-file.ts'
export { writeTraceFile } from './trace-file-writer.ts'
