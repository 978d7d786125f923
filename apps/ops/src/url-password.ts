import { readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { CommandError, messageOf } from './outcome.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The URL with the password that belongs to it: command lines can be read by everybody on the machine. As
 * with libpq, that of the URL counts first, then `PGPASSWORD`, then the password file. Throws `CommandError`.
 */
export function withPassword(url: string, env: Environment = process.env): string {
  const complete = new URL(url)
  if (complete.password !== '' || complete.searchParams.has('password')) return url
  const password = env['PGPASSWORD'] || passwordOf(complete, passwordLines(env))
  if (password === undefined) return url
  complete.password = encodeURIComponent(password)
  return complete.href
}

/** Source: documentation of PostgreSQL, "The Password File". */
function passwordLines(env: Environment): readonly string[] {
  const named = env['PGPASSFILE']
  const file = named || join(homedir(), '.pgpass')
  try {
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
      throw new CommandError(`Others may read the passwords in ${file}: chmod 600 it.`)
    return readFileSync(file, 'utf8').split(/\r?\n/)
  } catch (error) {
    if (error instanceof CommandError) throw error
    if (!named) return []
    throw new CommandError(`PGPASSFILE cannot be read: ${messageOf(error)}`)
  }
}

function passwordOf(url: URL, lines: readonly string[]): string | undefined {
  const { hostname, port, pathname, username, searchParams } = url
  // Of a socket's folder the file may say localhost.
  const host = searchParams.get('host') ?? hostname.replace(/^\[|\]$/g, '')
  const wanted = [host, port || '5432', decodeURIComponent(pathname.slice(1)), decodeURIComponent(username)]
  for (const line of lines) {
    if (line.startsWith('#')) continue
    const [password, ...fields] = fieldsOf(line).reverse()
    const isMeant = (field: string, index: number) =>
      field === '*' ||
      field === wanted[index] ||
      (index === 0 && field === 'localhost' && host.startsWith('/'))
    if (fields.length === wanted.length && fields.reverse().every(isMeant)) return password
  }
  return undefined
}

/** Divided by colons; a backslash takes the special meaning of a colon or backslash. */
const fieldsOf = (line: string): string[] =>
  [...`${line}:`.matchAll(/((?:\\.|[^\\:])*):/g)].map(([, field]) => field!.replaceAll(/\\(.)/g, '$1'))
