// How to connect to the server of a DATABASE_URL with settings for the session.

/** Settings of a session of PostgreSQL, by name. */
export type SessionSettings = Readonly<Record<string, string>>

/** What pg connects with. */
export interface PgSession {
  /** The URL without its `options`. */
  readonly connectionString: string
  readonly options: string
}

/**
 * Adds settings to the `options` of a URL, or to those of `PGOPTIONS` if the URL has none, as libpq does.
 * Ours come last and so have precedence. They cannot be given to pg beside the others: it ignores its own
 * options if the URL has some, and `PGOPTIONS` if it has its own.
 */
export function pgSession(
  url: string,
  settings: SessionSettings,
  env: { readonly PGOPTIONS?: string | undefined },
): PgSession {
  const assignments = Object.entries(settings).map(([name, value]) => `-c ${name}=${escaped(value)}`)
  const rest = new URL(url)
  const given = rest.searchParams.get('options')
  const options = [given ?? env.PGOPTIONS ?? '', ...assignments].join(' ').trim()
  if (given === null) return { connectionString: url, options }
  rest.searchParams.delete('options')
  return { connectionString: rest.toString(), options }
}

/** PostgreSQL separates options by spaces. */
const escaped = (value: string): string => value.replace(/[\\ ]/g, '\\$&')
