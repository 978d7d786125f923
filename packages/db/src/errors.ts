import { type AccountId, type DecodedTransaction, IndexerError, type McBlockSeqno } from '@shardwalk/model'

/** The database was migrated by a newer version of this program. */
export class SchemaTooNew extends IndexerError {
  readonly code = 'schema_too_new'
  readonly retry = 'never'

  constructor(readonly unknownMigrations: readonly string[]) {
    super(
      `the database was written by a newer version (unknown migrations: ${unknownMigrations.join(', ')}); ` +
        'update this program',
    )
  }
}

/** The tables are older than this version and must be migrated first. */
export class SchemaTooOld extends IndexerError {
  readonly code = 'schema_too_old'
  readonly retry = 'later'

  constructor(readonly missingMigrations: readonly string[]) {
    super(`the database lacks migrations ${missingMigrations.join(', ')}; run "shardwalk migrate"`)
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

/** No server answered. `cause` is the last failure. */
export class DatabaseUnreachable extends IndexerError {
  readonly code = 'database_unreachable'
  readonly retry = 'later'
}

/** The server answered but rejected the connection, or its certificate was. */
export class DatabaseRefused extends IndexerError {
  readonly code = 'database_refused'
  readonly retry = 'never'

  constructor(
    message: string,
    /** SQLSTATE, if the server gave one. */
    readonly sqlState: string | undefined,
    { isUntrusted = false, ...options }: { cause?: unknown; isUntrusted?: boolean | undefined } = {},
  ) {
    super(message, options)
    this.isUntrusted = isUntrusted
  }

  /** The certificate was rejected here. */
  readonly isUntrusted: boolean
}

/**
 * The server, the encoding of the database or the privileges of the user cannot be used, however often it is
 * asked.
 */
export class DatabaseUnsuitable extends IndexerError {
  readonly code = 'database_unsuitable'
  readonly retry = 'never'
}

/** The server accepts data but does not answer: it is stopped, or the network is broken. */
export class DatabaseSilent extends IndexerError {
  readonly code = 'database_silent'
  readonly retry = 'later'

  constructor(silenceMs: number) {
    super(silenceMs > 0 ? `no data from the database for ${silenceMs} ms` : 'the database does not answer')
  }
}

/** The address of the primary leads to a standby, as it may for a while when one takes over. */
export class DatabaseIsStandby extends IndexerError {
  readonly code = 'database_is_standby'
  readonly retry = 'later'

  constructor() {
    super('the server is a standby now, and the primary is waited for')
  }
}

/** A value that its column cannot hold. `path` names table and column. */
export class RowEncodeError extends IndexerError {
  readonly code = 'row_encode_failed'
  readonly retry = 'never'

  constructor(
    readonly path: string,
    problem: string,
    /** The transaction that the value belongs to. */
    readonly transaction?: DecodedTransaction,
    /** The same of other transactions of the batch. */
    readonly others: readonly RowEncodeError[] = [],
  ) {
    super(`${path}: ${problem}`)
  }
}

/**
 * Classes of SQLSTATE that are caused by values: data exception, constraint violation, program limit
 * exceeded.
 */
const DATA_REFUSED = /^(22|23|54)/

/**
 * True if the database will reject the same rows again. A unique violation is a conflict with another writer
 * unless it survives all attempts.
 */
export const isDataRefused = (error: unknown): boolean =>
  DATA_REFUSED.test((refusalIn(error) as { code?: unknown }).code?.toString() ?? '')

/** The database's error behind a `CommitConflict`; any other error unchanged. */
export const refusalIn = (error: unknown): unknown => (error instanceof CommitConflict ? error.cause : error)

/**
 * Two addresses of the batch, or one of the batch and one in the table, have the same derived id. Only the
 * ids in `overrides` were written: encode the batch again with them. They are stored, and no other address of
 * the batch is affected.
 */
export class AccountIdTaken extends IndexerError {
  readonly code = 'account_id_taken'
  readonly retry = 'later'

  /** Key: `addressKey`. */
  constructor(readonly overrides: ReadonlyMap<string, AccountId>) {
    super(`${overrides.size} addresses share the derived id of another account`)
  }
}

/** All attempts conflicted with other writers. `cause` is the last error of the database. */
export class CommitConflict extends IndexerError {
  readonly code = 'commit_conflict'
  readonly retry = 'later'

  constructor(seqnos: readonly McBlockSeqno[], attempts: number, cause: unknown) {
    super(`masterchain blocks ${seqnos[0]} to ${seqnos.at(-1)} were not written in ${attempts} attempts`, {
      cause,
    })
  }
}
