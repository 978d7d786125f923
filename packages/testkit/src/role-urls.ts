import { DATABASE_ROLES, type DatabaseRole } from '@shardwalk/db'

/** Roles belong to the server that test files share, so all of them use these. */
export const ROLE_PASSWORDS = {
  writer: 'test-writer',
  reader: 'test-reader',
  analyst: 'test-analyst',
} as const satisfies Record<DatabaseRole, string>

/** The same database as another role. */
export function urlOfRole(url: string, role: DatabaseRole): string {
  const changed = new URL(url)
  changed.username = DATABASE_ROLES[role]
  changed.password = ROLE_PASSWORDS[role]
  return changed.href
}
