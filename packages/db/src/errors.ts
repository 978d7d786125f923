import { IndexerError } from '@shardwalk/model'

/** The database was migrated by a newer version of this program. */
export class SchemaTooNew extends IndexerError {
  readonly code = 'schema_too_new'
  readonly retry = 'never'

  constructor(readonly unknownMigrations: readonly string[]) {
    super(
      `the database was written by a newer version (unknown migrations: ${unknownMigrations.join(', ')}); update this program`,
    )
  }
}

/** The tables are not those of this version: migrations have to run first. */
export class SchemaTooOld extends IndexerError {
  readonly code = 'schema_too_old'
  readonly retry = 'later'

  constructor(readonly missingMigrations: readonly string[]) {
    super(`the database lacks migrations ${missingMigrations.join(', ')}; run the migrate command`)
  }
}

/** The database holds another chain. */
export class WrongNetwork extends IndexerError {
  readonly code = 'wrong_network'
  readonly retry = 'never'

  constructor(stored: string, asked: string) {
    super(`the database holds the chain ${stored}, this is ${asked}; use another database or data directory`)
  }
}

/** A value that its column cannot hold. `path` names table and column. */
export class RowEncodeError extends IndexerError {
  readonly code = 'row_encode_failed'
  readonly retry = 'never'

  constructor(
    readonly path: string,
    problem: string,
  ) {
    super(`${path}: ${problem}`)
  }
}

/** The embedded PostgreSQL server cannot be set up or started. The message says what to do. */
export class EmbeddedPostgresError extends IndexerError {
  readonly code = 'embedded_postgres_failed'
  readonly retry = 'never'
}
