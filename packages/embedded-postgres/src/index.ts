export {
  freeBytes,
  freeFiles,
  isDiskFull,
  isReadOnly,
  lacksSpace,
  takesNoWrites,
} from './disk-space.ts'
export { DiskFull, EmbeddedPostgresError } from './errors.ts'
export { type GuardSteps, ProcessGuard } from './guard.ts'
export {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from './server.ts'
export { formatPostgresConf, type PostgresSetting, postgresSettings } from './settings.ts'
