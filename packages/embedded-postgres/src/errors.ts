import { IndexerError } from '@shardwalk/model'

/** The embedded PostgreSQL server cannot be set up or started. The message says what to do. */
export class EmbeddedPostgresError extends IndexerError {
  readonly code = 'embedded_postgres_failed'
  readonly retry = 'never'
}
