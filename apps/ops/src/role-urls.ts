import { createHmac } from 'node:crypto'
import {
  awaitDatabase,
  DATABASE_ROLES,
  DatabaseRefused,
  type DatabaseRole,
  grantRoles,
  schemaOfTables,
} from '@shardwalk/db'
import { QUEUE_SCHEMA } from '@shardwalk/queue'
import { type Settings, toEnvironment } from '@shardwalk/settings'
import { pgSession } from '@shardwalk/settings/pg-session'
import type { OpenDatabase } from './database.ts'
import { CommandError } from './outcome.ts'
import { withDbRetry } from './with-db.ts'

/** The database as each process connects to it. */
export interface RoleUrls {
  /** For ingest, actions and metadata. */
  readonly writer: string
  /** For the API. */
  readonly reader: string
  /** The roles that have their privileges; undefined: granting them is up to another user. */
  readonly roles: readonly DatabaseRole[] | undefined
}

type Passwords = Partial<Readonly<Record<DatabaseRole, string>>>

/**
 * Prepares a role per process on a migrated database. A server of our own always has them; another one if its
 * passwords are set or its owner created them. A role without a password is not used: all processes then
 * connect as the given user.
 */
export async function prepareRoles(
  { url, embedded }: Pick<OpenDatabase, 'url' | 'embedded'>,
  settings: Settings,
  { create = false }: { readonly create?: boolean } = {},
): Promise<RoleUrls> {
  const passwords = embedded ? derivedPasswords(url) : passwordsOf(settings)
  const unchanged = new Set<DatabaseRole>()
  const { roles, schema } = await withDbRetry(url, async ({ pool }) => ({
    schema: await schemaOfTables(pool),
    roles: await grantRoles(pool, {
      create: create || Object.keys(passwords).length > 0,
      passwords,
      onUnchanged: (role) => unchanged.add(role),
      isOwnServer: embedded,
      writersSchema: QUEUE_SCHEMA,
    }),
  }))
  const urlOf = (role: DatabaseRole): string => {
    const password = roles?.includes(role) ? passwords[role] : undefined
    return password === undefined ? url : withUser(url, { user: DATABASE_ROLES[role], password, schema })
  }
  for (const role of unchanged) await checkPassword(urlOf(role), role)
  return { writer: urlOf('writer'), reader: urlOf('reader'), roles }
}

/** Throws `CommandError` if an administrator gave another password to the role. */
async function checkPassword(url: string, role: DatabaseRole): Promise<void> {
  const name = DATABASE_ROLES[role]
  try {
    await awaitDatabase({ url, waitMs: 0 })
  } catch (error) {
    // What does not answer now is waited for by the processes.
    if (!(error instanceof DatabaseRefused)) return
    throw new CommandError(
      `DATABASE_${role.toUpperCase()}_PASSWORD: the server refuses ${name}: ${error.message}. The user in ` +
        `DATABASE_URL may not change its password: correct the setting, or let an administrator run ` +
        `"alter role ${name} login password '...'".`,
    )
  }
}

/**
 * The database as a role connects to it; undefined if its password is not known here: it is that of an
 * embedded server, or in the settings.
 */
export async function urlOfRole(
  { url, embedded }: Pick<OpenDatabase, 'url' | 'embedded'>,
  settings: Settings,
  role: DatabaseRole,
): Promise<string | undefined> {
  const password = (embedded ? derivedPasswords(url) : passwordsOf(settings))[role]
  if (password === undefined) return undefined
  const schema = await withDbRetry(url, ({ pool }) => schemaOfTables(pool))
  return withUser(url, { user: DATABASE_ROLES[role], password, schema })
}

/** The settings of a process, without the passwords of roles. `databaseUrl`: as its own role. */
export const processEnvironment = (settings: Settings): Record<string, string> => ({
  ...toEnvironment(settings),
  // Empty, not absent: children inherit the environment.
  DATABASE_WRITER_PASSWORD: '',
  DATABASE_READER_PASSWORD: '',
  DATABASE_ANALYST_PASSWORD: '',
})

const passwordsOf = (settings: Settings): Passwords => ({
  ...(settings.databaseWriterPassword && { writer: settings.databaseWriterPassword }),
  ...(settings.databaseReaderPassword && { reader: settings.databaseReaderPassword }),
  ...(settings.databaseAnalystPassword && { analyst: settings.databaseAnalystPassword }),
})

/** From the random password of the embedded server's owner: nothing else has to be kept, or kept secret. */
function derivedPasswords(url: string): Passwords {
  const { password } = new URL(url)
  const derive = (role: DatabaseRole) =>
    createHmac('sha256', password).update(DATABASE_ROLES[role]).digest('hex')
  return { writer: derive('writer'), reader: derive('reader'), analyst: derive('analyst') }
}

interface RoleAccess {
  readonly user: string
  readonly password: string
  /** Of the tables; as in SQL. */
  readonly schema: string
}

/** Where every user looks; a schema with the name of the owner is found by nobody else. */
const DEFAULT_SCHEMA = 'public'

/** The URL with another user, who finds the same tables. */
export function withUser(url: string, { user, password, schema }: RoleAccess): string {
  const changed = new URL(url)
  // In the query they go before those before the host.
  for (const name of ['user', 'password']) changed.searchParams.delete(name)
  if (changed.hostname === '') {
    // Without a host, as with a Unix socket in the query, a URL has no user.
    changed.searchParams.set('user', user)
    changed.searchParams.set('password', password)
  }
  changed.username = user
  changed.password = encodeURIComponent(password)
  const { options } = pgSession(url, { search_path: schema }, process.env)
  if (schema !== DEFAULT_SCHEMA) changed.searchParams.set('options', options)
  // libpq takes a plus sign for one.
  changed.search = changed.search.replaceAll('+', '%20')
  return changed.href
}
