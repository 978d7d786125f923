export { applyWatch, type WatchChange } from './apply.ts'
export { type Decisions, decideTraces, queueStoredTraces } from './decide.ts'
export { listCompleteRanges, listPartialRanges, readWatchState, type WatchState } from './state.ts'
export { subjectText, type WatchSubject } from './subjects.ts'
