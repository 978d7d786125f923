import { createHash } from 'node:crypto'
import { cancelStatement, type Database, type Db } from '@shardwalk/db'
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type pg from 'pg'

/** A pool, or what chooses one. */
type Connecting = Pick<pg.Pool, 'end'> & { connect(): Promise<pg.PoolClient> }

/** Marks a statement whose plan is to be kept: `KEEP_PLAN`. */
const MARK = /^\s*\/\* keep plan \*\//
/**
 * Every shape of a query has one text, of which the usual requests have 60. The plan of each takes 90 KB of
 * every connection and another 17 KB for each partition, so that further ones are planned each time.
 */
const MAX_NAMES = 120

interface Sources {
  readonly pool: Connecting
  readonly kept: Connecting
  /** Undefined: the statement is planned each time. */
  readonly nameOf: (text: string) => string | undefined
}

const SOURCES = new WeakMap<Db, Sources>()

/**
 * A pool for the query builder that names marked statements, so that each connection parses and plans them
 * once: for lookups in partitioned tables planning takes longer than execution. Transactions and all other
 * statements pass unchanged.
 *
 * PostgreSQL keeps replanning a named statement while it expects custom plans to be cheaper; connections of
 * `kept` (see `configurePlans`) use the generic plan. Marked statements outside of transactions run there.
 */
export const keepPlans = (pool: Connecting, kept: Connecting = pool): Db =>
  open({ pool, kept, nameOf: statementNames() })

/**
 * The same database for work that is pointless once `signal` is aborted: the statement that runs at that time
 * is cancelled in the server, further ones are rejected. A database that is not of `keepPlans` is returned as
 * it is.
 */
export function cancelledBy(signal: AbortSignal, db: Db): Db {
  const sources = SOURCES.get(db)
  return sources ? open(sources, signal) : db
}

/** Stands for all databases that `keepPlans` and `cancelledBy` make of the same pools. */
export const sharedBy = (db: Db): object => SOURCES.get(db) ?? db

function open(sources: Sources, signal?: AbortSignal): Db {
  // Used again: the query builder keeps what it makes for each in a weak map, whose value leads to its key,
  // so that both stay until a major collection.
  const idle: PostgresPoolClient[] = []
  const pool: PostgresPool = {
    connect: async () => idle.pop() ?? connection(sources, idle, signal),
    end: () => sources.pool.end(),
  }
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  SOURCES.set(db, sources)
  return db
}

/** Takes a connection of one of the pools with its first statement; returns to `idle` when it is released. */
function connection(
  { pool, kept, nameOf }: Sources,
  idle: PostgresPoolClient[],
  signal?: AbortSignal,
): PostgresPoolClient {
  let client: pg.PoolClient | undefined
  let isCancelled = false
  const cancel = () => {
    isCancelled = true
    void cancelStatement(client!)
  }
  const made = {
    query: async (text: string, values: unknown[]) => {
      const name = nameOf(text)
      signal?.throwIfAborted()
      client ??= await (name === undefined ? pool : kept).connect()
      signal?.throwIfAborted()
      signal?.addEventListener('abort', cancel)
      try {
        return await client.query({ text, values, name })
      } finally {
        signal?.removeEventListener('abort', cancel)
      }
    },
    // The server may cancel what the connection runs next, and settings of it were not restored.
    release: () => {
      client?.release(isCancelled)
      client = undefined
      isCancelled = false
      idle.push(made)
    },
  } as unknown as PostgresPoolClient
  return made
}

function statementNames(): Sources['nameOf'] {
  const names = new Map<string, string>()
  return (text) => {
    if (!MARK.test(text)) return undefined
    const known = names.get(text)
    if (known || names.size >= MAX_NAMES) return known
    // Derived from the text, so that all users of the pool give it the same name.
    const name = `kept_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
    names.set(text, name)
    return name
  }
}

/** Just-in-time compilation takes longer than any of these statements should run. */
const NO_COMPILER = 'set jit = off'

/** Configures connections opened from now on. `kept`: they use the generic plan of a named statement. */
export function configurePlans(pool: pg.Pool, plans: 'kept' | 'by value'): pg.Pool {
  const settings = plans === 'kept' ? `${NO_COMPILER}; set plan_cache_mode = force_generic_plan` : NO_COMPILER
  const configure = async (client: pg.ClientBase) => {
    await client.query(settings)
  }
  pool.options.onConnect = configure
  return pool
}
