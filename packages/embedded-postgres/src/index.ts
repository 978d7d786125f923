export { freeBytes, freeFiles, isDiskFull, isReadOnly, lacksSpace, takesNoWrites } from './disk-space.ts'
export { ProcessGuard } from './guard.ts'
export { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from './server.ts'
export { formatPostgresConf, postgresSettings } from './settings.ts'
