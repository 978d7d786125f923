// Classification.
export { basicTree, type Classification, classifyTrace, factsWanted, OpenTrace } from './classify.ts'
// API v3: types that a client supports, and the JSON of each type.
// Facts about contracts.
export { type AccountFacts, type ContractFacts, NOMINATOR_POOL_CODE_HASH } from './facts.ts'
// Facts to load before classifying.
export { TraceFileError } from './file-fields.ts'
export { MARKETPLACES, readMarketplaces } from './marketplaces.ts'
export { RENDERED_TYPES, renderAction } from './render-action.ts'
// Stored rows.
export { type ActionRow, rowToJson } from './row.ts'
export { expandSupportedTypes, isShown, knowsGasless, STORED_ACTION_TYPES } from './supported-types.ts'
// Traces.
export type { Address, Trace, TraceMessage, TraceTransaction } from './trace.ts'
export { parseTraceFile, readTraceFile, type TraceFile } from './trace-file.ts'
export { writeTraceFile } from './trace-file-writer.ts'
