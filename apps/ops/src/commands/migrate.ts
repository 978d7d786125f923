import { DATABASE_ROLES, type DatabaseRole } from '@shardwalk/db'
import { EXIT } from '@shardwalk/observability'
import { joinDatabase } from '../database.ts'
import { migrateDatabase } from '../migrate-database.ts'
import { usingDatabase } from '../operators-database.ts'
import { prepareRoles } from '../role-urls.ts'
import type { Command } from './index.ts'

export const migrateCommand: Command = {
  uses: ['Storage', 'Logs'],
  help:
    'Migrate the database to this version, and create the roles of its processes if the user may. ' +
    'Ingest and API refuse to run on another version.',
  run: (context) =>
    usingDatabase(joinDatabase(context), async (database) => {
      const done = await migrateDatabase(database.url)
      console.log(done.length === 0 ? 'The database is up to date.' : `Migrated: ${done.join(', ')}`)
      const { roles } = await prepareRoles(database, context.settings, { create: true })
      console.log(rolesText(roles))
      return EXIT.done
    }),
}

function rolesText(roles: readonly DatabaseRole[] | undefined): string {
  if (!roles) return 'Privileges of roles are up to the owner of the tables.'
  if (roles.length === 0)
    return 'There are no roles: this user may not create them. docs/postgresql.md has the SQL.'
  return `Roles with their privileges: ${roles.map((role) => DATABASE_ROLES[role]).join(', ')}`
}
