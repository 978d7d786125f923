export { assemble } from './assemble.ts'
export { type Joined, joinPieces, type Link } from './join.ts'
export type { Assembly, Hash, OpenMessage, TraceInput, TraceRow, TraceState } from './records.ts'
