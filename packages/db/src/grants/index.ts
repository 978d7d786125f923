export { grantRoles } from './grant-roles.ts'
export { DATABASE_ROLES, type DatabaseRole, RIGHTS } from './privileges.ts'
