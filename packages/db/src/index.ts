export { createDb, type DatabaseHandle, type DatabaseOptions, type Db } from './database.ts'
export * from './errors.ts'
export { checkSchema, migrate } from './migrate.ts'
export * from './tables/index.ts'
