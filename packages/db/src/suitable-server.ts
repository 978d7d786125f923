import type { EventEmitter } from 'node:events'
import type pg from 'pg'
import { DatabaseUnsuitable } from './errors.ts'
import { MARK } from './session.ts'

/** 14 lacks `range_agg` of multiranges, 13 lacks multiranges. */
const OLDEST_MAJOR = 15
/** With the second one PostgreSQL passes bytes on unchanged. */
const ENCODINGS = ['UTF8', 'SQL_ASCII']

/** Parameters that the server reports while `client` connects, by name. */
export function reportedTo(client: pg.Client): ReadonlyMap<string, string> {
  const reported = new Map<string, string>()
  // The part of pg's client that its type omits.
  const { connection } = client as unknown as { readonly connection: EventEmitter }
  connection.on('parameterStatus', (message: { parameterName: string; parameterValue: string }) => {
    reported.set(message.parameterName, message.parameterValue)
  })
  return reported
}

/** Throws `DatabaseUnsuitable`. What a server does not report is not checked. */
export function checkServer(reported: ReadonlyMap<string, string>): void {
  const version = reported.get('server_version') ?? ''
  if (Number.parseInt(version, 10) < OLDEST_MAJOR)
    throw new DatabaseUnsuitable(`PostgreSQL ${version} is too old, ${OLDEST_MAJOR} or later is needed`)
  const encoding = reported.get('server_encoding') ?? 'UTF8'
  if (!ENCODINGS.includes(encoding))
    throw new DatabaseUnsuitable(
      `the encoding of the database is ${encoding}; create another one with UTF8: ` +
        'createdb -T template0 -E UTF8 <name>',
    )
}

/**
 * Throws `DatabaseUnsuitable` if the session lacks its settings. A pooler that is configured to ignore them
 * passes on none, and statements of one session run in several, where locks, LISTEN and prepared statements
 * are lost.
 */
export async function checkSession(client: pg.Client, mark: string): Promise<void> {
  const { rows } = await client.query<{ mark: string | null }>('select current_setting($1, true) as mark', [
    MARK,
  ])
  if (rows[0]?.mark !== mark)
    throw new DatabaseUnsuitable(
      'settings of the session do not arrive, as with a pooler such as PgBouncer that ignores `options`; ' +
        'connect to PostgreSQL itself',
    )
}
