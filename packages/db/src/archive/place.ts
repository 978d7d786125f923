import type { Lt } from '@shardwalk/model'
import pg from 'pg'
import { isDatabaseAway } from '../database-away.ts'
import { sessionOf } from '../session.ts'
import { type LtRange, PARTITIONED_TABLES } from '../writing/partitions.ts'
import { inArchive } from './attach.ts'
import { ArchiveFailed } from './errors.ts'
import { ARCHIVE_SCHEMA, urlOfServer } from './server.ts'

/** Where on archive servers a partition of every table is. */
export interface Place extends LtRange {
  readonly server: string
  readonly schema: string
}

/** Schema of this database on archive servers, whichever others use the same ones. */
export async function schemaOnServers(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `select left(md5(concat(s.system_identifier, ' ', d.oid)), 8) as id
     from pg_control_system() s, pg_database d where d.datname = current_database()`,
  )
  return `${ARCHIVE_SCHEMA}_${rows[0]!.id}`
}

/**
 * The schema that an archived partition is in. After `pg_upgrade`, or in a database restored from a dump, it
 * is not `schemaOnServers`: then the former database may still read what is there.
 */
export async function schemaOf(pool: pg.Pool, from: Lt): Promise<string> {
  const { rows } = await pool.query<{ schema: string }>(
    `select option_value as schema from pg_foreign_table, pg_options_to_table(ftoptions)
     where ftrelid = $1::regclass and option_name = 'schema_name'`,
    [inArchive(PARTITIONED_TABLES[0], from)],
  )
  return rows[0]!.schema
}

/** Works on an archive server, over a connection that is ended afterwards. */
export async function onServer<T>(
  pool: pg.Pool,
  server: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const url = await urlOfServer(pool, server)
  const client = new pg.Client({
    ...sessionOf(url),
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'shardwalk archive',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } catch (error) {
    if (!isDatabaseAway(error)) throw error
    const { host } = new URL(url)
    throw new ArchiveFailed(
      `the archive server ${host} does not answer (${(error as Error).message}); nothing is lost: ` +
        'repeat the command when it does',
      { cause: error },
    )
  } finally {
    await client.end().catch(() => {})
  }
}
