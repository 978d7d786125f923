import { type PgSession, pgSession, type SessionSettings } from '@shardwalk/settings/pg-session'
import type pg from 'pg'

/**
 * What the statements of this program rely on. Servers, databases and roles may have other defaults, which
 * connections inherit unless they say otherwise. Another isolation would read what was there before a lock
 * was waited for; pg reads no dates but those of ISO; exports read bytes as hex; a backslash is one.
 */
const RELIED_ON: SessionSettings = {
  default_transaction_isolation: 'read committed',
  datestyle: 'ISO',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  lock_timeout: '0',
}

/** As `RELIED_ON`. Servers of earlier versions refuse a connection that sets it. */
const SINCE_14: SessionSettings = { idle_session_timeout: '0' }

/**
 * The server notices within 25 s that the machine of a client is gone or not reachable. By default it waits
 * for two hours, and others wait that long for locks of the transaction.
 */
const GONE_CLIENTS: SessionSettings = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
}

/** Session of a process of ours, on PostgreSQL 14 or later. `settings` override ours. */
export const sessionOf = (url: string, settings: SessionSettings = {}): PgSession =>
  withSettings(url, { ...RELIED_ON, ...SINCE_14, ...GONE_CLIENTS, ...settings })

/**
 * Transactions of the session may take any time. The limit is of PostgreSQL 17; earlier servers would refuse
 * a connection that sets it.
 */
export async function endTimeLimit(client: pg.ClientBase): Promise<void> {
  await client.query(
    `select set_config('transaction_timeout', '0', false)
     where current_setting('transaction_timeout', true) <> '0'`,
  )
}

/**
 * What servers of all versions accept. They report their version only to a connection that they accept.
 * `mark` can be read as `MARK`.
 */
export const sessionOfAnyVersion = (url: string, mark: string): PgSession =>
  withSettings(url, { ...RELIED_ON, [MARK]: mark })

/** A setting of our own, which has no effect. */
export const MARK = 'shardwalk.session'

/** Of a person, whose other defaults stay; a transaction may say that it writes. */
export const readOnlySession = (url: string): PgSession =>
  withSettings(url, { default_transaction_read_only: 'on' })

const withSettings = (url: string, settings: SessionSettings): PgSession =>
  pgSession(url, settings, process.env)
