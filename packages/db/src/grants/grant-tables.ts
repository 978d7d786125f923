import type pg from 'pg'
import { DATABASE_ROLES, type DatabaseRole, type Privilege, RIGHTS } from './privileges.ts'

interface Granted {
  /** With its schema, quoted. */
  readonly table: string
  /** The partitioned table, if it is a partition. */
  readonly root: string
  readonly role: string
  readonly privileges: readonly string[]
}

/** Every table of the current schema with what each role has, its owner's partitions included. */
const GRANTED = `
  select c.oid::regclass::text as "table", root.relname as root, r.rolname as role,
    array(select a.privilege_type from aclexplode(c.relacl) a where a.grantee = r.oid) as privileges
  from pg_class c
  join pg_class root on root.oid = coalesce(pg_partition_root(c.oid), c.oid)
  cross join pg_roles r
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'f')
    and r.rolname = any ($1)
  order by c.oid`

/** MAINTAIN is of PostgreSQL 17. */
const SINCE: Partial<Readonly<Record<Privilege, number>>> = { MAINTAIN: 170_000 }

/** Gives the roles exactly what `RIGHTS` says on every table, and the rule of it on tables to come. */
export async function grantTables(client: pg.ClientBase, roles: readonly DatabaseRole[]): Promise<void> {
  const version = await serverVersion(client)
  const known = (privileges: readonly Privilege[]) => privileges.filter((one) => version >= (SINCE[one] ?? 0))
  const { rows } = await client.query<Granted>(GRANTED, [roles.map((role) => DATABASE_ROLES[role])])
  for (const role of roles) {
    const { onTables, except } = RIGHTS[role]
    const name = DATABASE_ROLES[role]
    for (const { table, root, privileges } of rows.filter((row) => row.role === name))
      await grantExactly(client, {
        table,
        role: name,
        has: privileges,
        wants: known(except[root] ?? onTables),
      })
    await grantOnSchema(client, { role: name, wants: known(onTables) })
  }
}

async function serverVersion(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  )
  return rows[0]!.version
}

interface Grant {
  readonly table: string
  readonly role: string
  readonly has: readonly string[]
  readonly wants: readonly Privilege[]
}

/** Only what differs: a grant changes the catalogue's row of a table that others are using. */
async function grantExactly(client: pg.ClientBase, { table, role, has, wants }: Grant): Promise<void> {
  const lacks = wants.filter((one) => !has.includes(one))
  const tooMuch = has.filter((one) => !(wants as readonly string[]).includes(one))
  if (tooMuch.length > 0) await client.query(`revoke ${tooMuch.join(', ')} on ${table} from ${role}`)
  if (lacks.length > 0) await client.query(`grant ${lacks.join(', ')} on ${table} to ${role}`)
}

/** Default privileges hold for what the role that owns the tables creates: partitions, later migrations. */
async function grantOnSchema(
  client: pg.ClientBase,
  { role, wants }: Pick<Grant, 'role' | 'wants'>,
): Promise<void> {
  const { rows } = await client.query<{ schema: string; owner: string; has: readonly string[] | null }>(
    `select quote_ident(current_schema()) as schema, quote_ident(o.rolname) as owner,
       (select array_agg(a.privilege_type) from pg_default_acl d, aclexplode(d.defaclacl) a
        where d.defaclrole = o.oid and d.defaclnamespace = current_schema()::regnamespace
          and d.defaclobjtype = 'r' and a.grantee = to_regrole($1)) as has
     from pg_class c join pg_roles o on o.oid = c.relowner where c.oid = to_regclass('accounts')`,
    [role],
  )
  const { schema, owner, has } = rows[0]!
  await client.query(`grant usage on schema ${schema} to ${role}`)
  if (wants.every((one) => has?.includes(one))) return
  await client.query(
    `alter default privileges for role ${owner} in schema ${schema}
     grant ${wants.join(', ')} on tables to ${role}`,
  )
}
