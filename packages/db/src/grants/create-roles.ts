import type pg from 'pg'
import { DATABASE_ROLES, type DatabaseRole, RIGHTS } from './privileges.ts'
import { isVerifierOf, scramVerifier } from './scram.ts'

const ROLES = Object.keys(DATABASE_ROLES) as DatabaseRole[]

/** duplicate_object, unique_violation: another database of the server is being prepared too. */
const EXISTS = ['42710', '23505']

/** Creates missing roles, which cannot log in. Does nothing if the user may not create roles. */
export async function createRoles(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ may: boolean; found: string[] }>(
    `select rolsuper or rolcreaterole as may,
       array(select rolname::text from pg_roles where rolname = any ($1)) as found
     from pg_roles where rolname = current_user`,
    [Object.values(DATABASE_ROLES)],
  )
  const { may, found } = rows[0]!
  if (!may) return
  for (const role of ROLES) if (!found.includes(DATABASE_ROLES[role])) await createRole(pool, role)
}

async function createRole(pool: pg.Pool, role: DatabaseRole): Promise<void> {
  const { settings, maxConnections = -1 } = RIGHTS[role]
  const name = DATABASE_ROLES[role]
  const statements = [
    `create role ${name} nologin connection limit ${maxConnections}`,
    ...Object.entries(settings).map(([key, value]) => `alter role ${name} set ${key} = '${value}'`),
  ]
  // One transaction.
  await pool.query(statements.join('; ')).catch((error: { code?: string }) => {
    if (!EXISTS.includes(error.code ?? '')) throw error
  })
}

/**
 * Lets roles log in with these passwords. Reading what is stored of them takes a superuser. Returns the roles
 * of which this user may not change the password: an administrator has set it.
 */
export async function setPasswords(
  pool: pg.Pool,
  passwords: Partial<Readonly<Record<DatabaseRole, string>>>,
): Promise<readonly DatabaseRole[]> {
  const unchanged: DatabaseRole[] = []
  const wanted = ROLES.flatMap((role) =>
    passwords[role] === undefined ? [] : [[role, passwords[role]] as const],
  )
  if (wanted.length === 0) return unchanged
  const stored = await readVerifiers(pool)
  for (const [role, password] of wanted) {
    const name = DATABASE_ROLES[role]
    if (isVerifierOf(stored.get(name) ?? '', password)) continue
    const changed = pool.query(`alter role ${name} login password '${scramVerifier(password)}'`)
    await changed.catch((error) => {
      refuseOthers(error)
      unchanged.push(role)
    })
  }
  return unchanged
}

async function readVerifiers(pool: pg.Pool): Promise<ReadonlyMap<string, string>> {
  try {
    const { rows } = await pool.query<{ name: string; verifier: string }>(
      `select rolname as name, rolpassword as verifier from pg_authid
       where rolcanlogin and rolpassword is not null`,
    )
    return new Map(rows.map(({ name, verifier }) => [name, verifier]))
  } catch (error) {
    refuseOthers(error)
    return new Map()
  }
}

/** Throws an error that is not insufficient_privilege. */
function refuseOthers(error: unknown): void {
  if ((error as { code?: string }).code !== '42501') throw error
}
