export type { ActionRow } from './action-rows.ts'
export { type ActionFilter, actionsOfTraces, listActions } from './list-actions.ts'
