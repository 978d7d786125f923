export { apiMemory } from './api-memory.ts'
export { closest } from './closest.ts'
export { DEFINITION, definitions, GROUPS, type GroupName, type Settings } from './definition.ts'
export type { LiteserverAddress, Retention, StartPoint } from './kinds.ts'
export {
  type Environment,
  readSettings,
  SettingsError,
  type SettingsInput,
  type SettingsReading,
} from './read.ts'
export {
  maskedSettings,
  settingsExample,
  settingsPage,
  settingText,
  toEnvironment,
} from './render.ts'
export type { Setting } from './setting.ts'
export type { WatchItem } from './watch-kind.ts'
