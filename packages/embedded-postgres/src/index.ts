export { EmbeddedPostgresError } from './errors.ts'
export { OwnerLock } from './owner-lock.ts'
export {
  type EmbeddedOptions,
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from './server.ts'
export { formatPostgresConf, type PostgresSetting, postgresSettings } from './settings.ts'
