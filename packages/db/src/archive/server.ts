import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { PARTITIONED_TABLES } from '../writing/partitions.ts'
import { inTransaction } from '../writing/transaction.ts'
import { ArchiveRefused } from './errors.ts'
import { dropKeys } from './keys.ts'

/**
 * The parent of the archived partitions, in this database, without indexes. Its partitions are foreign tables
 * of the archive servers, one connection per server.
 *
 * It is a partition of the table itself by way of a connection of the server to itself, because postgres_fdw
 * connects when a statement starts, whether or not a row of the foreign table is needed: so every statement
 * reaches this server, and an archive server only those that read it.
 */
export const ARCHIVE_SCHEMA = 'shardwalk_archive'
const SELF = 'shardwalk_self'
const SERVER_PREFIX = 'shardwalk_archive_'

/** No request hangs: a server that is away is noticed within seconds. */
const PATIENCE = {
  connect_timeout: '3',
  tcp_user_timeout: '10000',
  keepalives_idle: '5',
  keepalives_interval: '2',
  keepalives_count: '3',
} as const
/** What a page of the API needs at once. */
const FETCH_SIZE = '1000'

/**
 * Prepares a database for its first archived partition: primary keys move to the partitions, the schema and
 * the server's connection to itself are created. Does nothing if that was done before.
 */
export async function prepareArchive(pool: pg.Pool): Promise<void> {
  await pool.query('create extension if not exists postgres_fdw').catch((error: Error) => {
    throw new ArchiveRefused(
      `the extension postgres_fdw is not there (${error.message}); have a superuser run ` +
        '"create extension postgres_fdw; grant usage on foreign data wrapper postgres_fdw to <owner>"',
      { cause: error },
    )
  })
  await dropKeys(pool)
  await pool.query(`create schema if not exists ${ARCHIVE_SCHEMA}`)
  for (const table of PARTITIONED_TABLES)
    await pool.query(
      `create table if not exists ${ARCHIVE_SCHEMA}.${table} (like ${table}) partition by range (lt)`,
    )
  await prepareSelf(pool)
}

async function prepareSelf(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ role: string; listens: string; port: string; name: string }>(
    `select 'shardwalk_archive_' || oid as role, current_setting('listen_addresses') as listens,
       current_setting('port') as port, datname as name from pg_database where datname = current_database()`,
  )
  const { role, listens, port, name } = rows[0]!
  // Its own: of roles that may log in it can do the least, and people who read the archive act as this one.
  const password = randomBytes(24).toString('base64url')
  if (!(await exists(pool, 'pg_roles where rolname = $1', role)))
    await pool.query(`create role ${role} nologin`)
  await pool.query(`grant usage on schema ${ARCHIVE_SCHEMA} to ${role}`)
  await pool.query(`grant select, update on all tables in schema ${ARCHIVE_SCHEMA} to ${role}`)
  if (await exists(pool, 'pg_user_mappings where srvname = $1', SELF)) return followPort(pool)
  const addresses = listens.split(',').map((address) => address.trim())
  const host = addresses.some((one) => ['*', '0.0.0.0', '127.0.0.1'].includes(one))
    ? '127.0.0.1'
    : (addresses[0] ?? '')
  const options = { ...PATIENCE, ...(host && { host }), port, dbname: name, fetch_size: FETCH_SIZE }
  await inTransaction(pool, async (client) => {
    await client.query(`alter role ${role} login password '${password}'`)
    await createServer(client, SELF, { ...options, use_remote_estimate: 'true' })
    await createMapping(client, SELF, { role: 'public', user: role, password })
  })
  await followPort(pool)
}

/**
 * Lets the way to itself lead to the port at which the server listens now, if there is such a way and the
 * user owns it. Without it no block can be written.
 */
export async function followPort(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ port: string }>(
    `select current_setting('port') as port from pg_foreign_server
     where srvname = $1 and pg_has_role(srvowner, 'usage')
       and 'port=' || current_setting('port') <> all (srvoptions)`,
    [SELF],
  )
  const [changed] = rows
  if (changed) await pool.query(`alter server ${SELF} options (set port ${literal(changed.port)})`)
}

/** The foreign server of the URL, which is made if there is none. */
export async function joinServer(pool: pg.Pool, url: string): Promise<string> {
  const { hostname, port, pathname, username, password, searchParams } = new URL(url)
  const place = {
    // A URL has brackets around an IPv6 address, libpq has none.
    host: searchParams.get('host') ?? hostname.replace(/^\[|\]$/g, ''),
    port: port || '5432',
    dbname: decodeURIComponent(pathname.slice(1)),
  }
  const id = createHash('sha256').update(Object.values(place).join(' ')).digest('hex').slice(0, 8)
  const name = `${SERVER_PREFIX}${place.host.replaceAll(/[^\w.]/g, '_').slice(-30)}_${id}`
  const asked = searchParams.get('sslmode')
  // The word of `pg` for it.
  const sslmode = asked === 'no-verify' ? 'require' : asked
  if (!(await exists(pool, 'pg_foreign_server where srvname = $1', name)))
    await createServer(pool, name, {
      ...PATIENCE,
      ...place,
      fetch_size: FETCH_SIZE,
      ...(sslmode && { sslmode }),
    })
  const { rows } = await pool.query<{ role: string }>(
    `select 'shardwalk_archive_' || oid as role from pg_database where datname = current_database()`,
  )
  const user = decodeURIComponent(username)
  const login = { role: rows[0]!.role, user, password: decodeURIComponent(password) }
  await inTransaction(pool, async (client) => {
    await client.query(`drop user mapping if exists for ${login.role} server ${quote(name)}`)
    await createMapping(client, name, login)
  })
  return name
}

/** URL of a foreign server that `joinServer` made. */
export async function urlOfServer(pool: pg.Pool, name: string): Promise<string> {
  const { rows } = await pool.query<{ key: string; value: string }>(
    `select split_part(o, '=', 1) as key, substr(o, strpos(o, '=') + 1) as value
     from pg_user_mappings m join pg_foreign_server s on s.oid = m.srvid,
       unnest(s.srvoptions || coalesce(m.umoptions, '{}')) o where s.srvname = $1`,
    [name],
  )
  const of = Object.fromEntries(rows.map(({ key, value }) => [key, value]))
  const url = new URL(`postgres://host:${of.port}/${encodeURIComponent(of.dbname ?? '')}`)
  if (of.host?.startsWith('/')) url.searchParams.set('host', of.host)
  else url.hostname = of.host?.includes(':') ? `[${of.host}]` : (of.host ?? '')
  // Options of foreign servers mean what libpq makes of them; `pg` would verify more.
  if (of.sslmode) {
    url.searchParams.set('sslmode', of.sslmode)
    url.searchParams.set('uselibpqcompat', 'true')
  }
  url.username = encodeURIComponent(of.user ?? '')
  url.password = encodeURIComponent(of.password ?? '')
  return url.href
}

async function createServer(
  client: pg.Pool | pg.ClientBase,
  name: string,
  options: Readonly<Record<string, string>>,
): Promise<void> {
  await client.query(
    `create server if not exists ${quote(name)} foreign data wrapper postgres_fdw
     options (${optionList(options)})`,
  )
}

async function createMapping(
  client: pg.ClientBase,
  server: string,
  { role, user, password }: { readonly role: string; readonly user: string; readonly password: string },
): Promise<void> {
  const { rows } = await client.query<{ super: boolean }>(
    'select rolsuper as super from pg_roles where rolname = current_user',
  )
  // A server that trusts its own machine asks for no password, which only a superuser may allow.
  const options = { user, password, ...(rows[0]!.super && { password_required: 'false' }) }
  await client.query(
    `create user mapping for ${role} server ${quote(server)} options (${optionList(options)})`,
  )
}

async function exists(pool: pg.Pool, from: string, value: string): Promise<boolean> {
  const { rowCount } = await pool.query(`select from ${from}`, [value])
  return (rowCount ?? 0) > 0
}

/** An identifier of SQL. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`
const literal = (text: string): string =>
  text.includes('\\')
    ? `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`
const optionList = (options: Readonly<Record<string, string>>): string =>
  Object.entries(options)
    .map(([key, value]) => `${key} ${literal(value)}`)
    .join(', ')
