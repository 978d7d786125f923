import type pg from 'pg'
import { DATABASE_ROLES, type DatabaseRole } from './privileges.ts'

/** Who may read the views. They show nothing that the owner does not want these to see. */
const READERS: readonly DatabaseRole[] = ['reader', 'analyst']

/** Lets people read the views, also after an update has made them again. */
export async function grantViews(client: pg.ClientBase, roles: readonly DatabaseRole[]): Promise<void> {
  for (const role of roles.filter((one) => READERS.includes(one))) {
    const name = DATABASE_ROLES[role]
    await client.query(`grant usage on schema analytics to ${name}`)
    await client.query(`grant select on all tables in schema analytics to ${name}`)
    await client.query(`alter default privileges in schema analytics grant select on tables to ${name}`)
  }
}
