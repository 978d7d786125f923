interface PostgresError {
  readonly code?: string
  readonly message: string
  readonly detail?: string
}

/** Whether PostgreSQL lacks files of the database, or found damaged ones. */
export function isDamaged(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (tellsDamage(at)) return true
  return false
}

function tellsDamage({ code, message, detail }: PostgresError): boolean {
  // Pages and indexes.
  if (code === 'XX001' || code === 'XX002') return true
  // Files that belong to extensions have the same state.
  if (code === '58P01') return /could not (open|read) (file|directory) "(base|global|pg_)/.test(message)
  return code === '3D000' && /subdirectory .* is missing/.test(detail ?? '')
}
