export { enforceRetention, forgetRetention } from './enforce.ts'
export type { RetentionRule } from './first-retained.ts'
export { assertRetained, NotRetained, readRetainedFrom } from './state.ts'
