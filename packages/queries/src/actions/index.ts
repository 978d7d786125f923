export type { ActionRow } from './action-rows.ts'
export type { ActionFilter } from './action-scan.ts'
export { actionsOfTraces, listActions } from './list-actions.ts'
