export { applyWatch } from './apply.ts'
export { decideTraces, queueStoredTraces } from './decide.ts'
export { listCompleteRanges, listPartialRanges, readWatchState, type WatchState } from './state.ts'
export { subjectText, type WatchSubject } from './subjects.ts'
