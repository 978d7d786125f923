import type pg from 'pg'
import { lock } from '../writing/locks.ts'
import { inTransaction } from '../writing/transaction.ts'
import { createRoles, setPasswords } from './create-roles.ts'
import { grantTables } from './grant-tables.ts'
import { grantViews } from './grant-views.ts'
import { DATABASE_ROLES, type DatabaseRole } from './privileges.ts'

/** What is granted besides the privileges of roles that exist. */
export interface GrantOptions {
  /** Creates roles that are missing, if the user may. Without a password they cannot log in. */
  readonly create?: boolean
  /** Of roles that are to log in: ASCII. */
  readonly passwords?: Partial<Readonly<Record<DatabaseRole, string>>>
  /** Called for a role of which the user may not change the password. Whether it is right is not known. */
  readonly onUnchanged?: (role: DatabaseRole) => void
  /** The server has no other users: what PostgreSQL grants to PUBLIC is revoked. */
  readonly isOwnServer?: boolean
  /** Schema that the writer creates tables of its own in, and that may be lost. */
  readonly writersSchema?: string
}

/**
 * Gives the roles that exist exactly their privileges on the tables that exist, and on those to come. Changes
 * nothing that is right already. Returns the roles that exist; undefined if the user does not own the tables:
 * then the grants are up to the owner.
 */
export async function grantRoles(
  pool: pg.Pool,
  options: GrantOptions = {},
): Promise<readonly DatabaseRole[] | undefined> {
  if (!(await ownsTables(pool))) return undefined
  if (options.create) await createRoles(pool)
  const roles = await existing(pool)
  if (roles.length === 0) return roles
  for (const role of await setPasswords(pool, options.passwords ?? {})) options.onUnchanged?.(role)
  await inTransaction(pool, async (client) => {
    await lock(client, 'grants')
    await grantTables(client, roles)
    await grantViews(client, roles)
    await grantFunctions(client, roles)
    await grantDatabase(client, roles, options)
  })
  return roles
}

async function ownsTables(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ owns: boolean }>(
    `select pg_has_role(c.relowner, 'usage') as owns from pg_class c where c.oid = to_regclass('accounts')`,
  )
  return rows[0]?.owns ?? false
}

async function existing(pool: pg.Pool): Promise<readonly DatabaseRole[]> {
  const { rows } = await pool.query<{ name: string }>('select rolname as name from pg_roles')
  const names = new Set(rows.map(({ name }) => name))
  return (Object.keys(DATABASE_ROLES) as DatabaseRole[]).filter((role) => names.has(DATABASE_ROLES[role]))
}

/** They run with the rights of the owner. */
const OWNERS_FUNCTIONS = 'create_lt_partition(text, bigint, bigint), drop_lt_partitions(text, bigint)'

/**
 * Only the writer adds and drops partitions. A database that was restored without its privileges has those of
 * new functions, which everybody may call.
 */
async function grantFunctions(client: pg.ClientBase, roles: readonly DatabaseRole[]): Promise<void> {
  await client.query(`revoke execute on function ${OWNERS_FUNCTIONS} from public`)
  if (roles.includes('writer'))
    await client.query(`grant execute on function ${OWNERS_FUNCTIONS} to ${DATABASE_ROLES.writer}`)
}

/** The writer makes temporary tables, and the schema of the queue. */
async function grantDatabase(
  client: pg.ClientBase,
  roles: readonly DatabaseRole[],
  { isOwnServer, writersSchema }: GrantOptions,
): Promise<void> {
  const { rows } = await client.query<{ name: string; owns: boolean }>(
    `select quote_ident(datname) as name, pg_has_role(datdba, 'usage') as owns from pg_database
     where datname = current_database()`,
  )
  const { name, owns } = rows[0]!
  if (!owns) return
  for (const role of roles) await client.query(`grant connect on database ${name} to ${DATABASE_ROLES[role]}`)
  if (roles.includes('writer')) {
    const { writer } = DATABASE_ROLES
    await client.query(`grant create, temporary on database ${name} to ${writer}`)
    if (isOwnServer && writersSchema) await leaveToWriter(client, writersSchema)
  }
  if (isOwnServer) await client.query(`revoke temporary on database ${name} from public`)
}

/** What the owner created there before there was a writer: dropped, for the writer could not change it. */
async function leaveToWriter(client: pg.ClientBase, schema: string): Promise<void> {
  const { rowCount } = await client.query(
    'select from pg_namespace where nspname = $1 and nspowner <> to_regrole($2)',
    [schema, DATABASE_ROLES.writer],
  )
  if (rowCount) await client.query(`drop schema ${schema} cascade`)
}
