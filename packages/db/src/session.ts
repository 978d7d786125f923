/** Settings of a session, by name. */
type SessionSettings = Readonly<Record<string, string>>

/** How pg connects, with settings for the session. */
export interface Session {
  readonly connectionString: string
  readonly options: string
}

/**
 * What the statements of this program rely on. Servers, databases and roles may have other defaults, which
 * connections inherit unless they say otherwise. Another isolation would read what was there before a lock
 * was waited for; pg reads no dates but those of ISO.
 */
const RELIED_ON: SessionSettings = {
  default_transaction_isolation: 'read committed',
  datestyle: 'ISO',
  lock_timeout: '0',
}

/** As `RELIED_ON`. Servers of earlier versions refuse a connection that sets it. */
const SINCE_14: SessionSettings = { idle_session_timeout: '0' }

/** Session of a process of ours, on PostgreSQL 14 or later. `settings` override ours. */
export const sessionOf = (url: string, settings: SessionSettings = {}): Session =>
  withSettings(url, { ...RELIED_ON, ...SINCE_14, ...settings })

/** What servers of all versions accept. They report their version only to a connection that they accept. */
export const sessionOfAnyVersion = (url: string): Session => withSettings(url, RELIED_ON)

/** Of a person, whose other defaults stay; a transaction may say that it writes. */
export const readOnlySession = (url: string): Session =>
  withSettings(url, { default_transaction_read_only: 'on' })

/**
 * Adds settings to the `options` of the URL, or to `PGOPTIONS`, over which they have precedence. pg would
 * ignore its own options if the URL has some, and `PGOPTIONS` if there are any.
 */
function withSettings(url: string, settings: SessionSettings): Session {
  const assignments = Object.entries(settings).map(([name, value]) => `-c ${name}=${escaped(value)}`)
  const rest = new URL(url)
  const given = rest.searchParams.get('options')
  const options = [given ?? process.env['PGOPTIONS'] ?? '', ...assignments].join(' ').trim()
  if (given === null) return { connectionString: url, options }
  rest.searchParams.delete('options')
  return { connectionString: rest.toString(), options }
}

/** PostgreSQL separates options by spaces. */
const escaped = (value: string): string => value.replace(/[\\ ]/g, '\\$&')
