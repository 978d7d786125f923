export { assemble, messagesOf, UnknownTrace } from './assemble.ts'
export type { Assembly, Hash, KnownTraces, PendingEdge, TraceInput, TraceRow, TraceState } from './records.ts'
