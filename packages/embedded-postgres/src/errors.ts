import { IndexerError } from '@shardwalk/model'

/** The embedded PostgreSQL server cannot be set up or started. The message says what to do. */
export class EmbeddedPostgresError extends IndexerError {
  readonly code = 'embedded_postgres_failed'
  readonly retry = 'never'
}

/** There is no space for the server's files. It can be started once there is. */
export class DiskFull extends IndexerError {
  readonly code = 'disk_full'
  readonly retry = 'later'

  constructor(folder: string, options?: ErrorOptions) {
    super(`no space left on device: free some for ${folder}`, options)
  }
}
