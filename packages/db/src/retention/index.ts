export { enforceRetention, forgetRetention, type RetentionPass } from './enforce.ts'
export { firstRetained, type RetentionRule } from './first-retained.ts'
export { assertRetained, NotRetained, readRetainedFrom } from './state.ts'
