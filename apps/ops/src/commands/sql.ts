import { spawn } from 'node:child_process'
import { DATABASE_ROLES, type DatabaseRole, FreeSession, readOnlySession } from '@shardwalk/db'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import { type Options, textOption } from '../command-options.ts'
import type { Context } from '../context.ts'
import type { OpenDatabase } from '../database.ts'
import { existingDatabase, usingDatabase } from '../operators-database.ts'
import { CommandError } from '../outcome.ts'
import { urlOfRole } from '../role-urls.ts'
import { type Printing, promptForStatements, runStatement } from '../sql-prompt.ts'
import type { Command } from './index.ts'

const ROLE_OPTION = { role: ['value', 'analyst (the default), reader, writer or owner'] } as const

export const databaseUrlCommand: Command = {
  uses: ['Storage', 'Logs'],
  help:
    'Print the URL of the database for a role, with its password: for psql, BI tools and scripts. Default: ' +
    'the role analyst, which only reads.',
  options: ROLE_OPTION,
  reads: true,
  run: (context) =>
    usingDatabase(existingDatabase(context), async (database) => {
      console.log(await requireUrl(context, database, readRole(context.options)))
      return EXIT.done
    }),
}

export const sqlCommand: Command = {
  uses: ['Storage', 'Logs'],
  help:
    'Query the database, with psql if it is installed. -c runs statements and ends, --csv prints CSV. The ' +
    'role is analyst unless another one is named.',
  options: {
    c: ['value', 'statements to run'],
    csv: ['switch', 'print CSV'],
    'csv-safe': ['switch', 'print CSV in which no text is a formula for a spreadsheet'],
    ...ROLE_OPTION,
  },
  reads: true,
  async run(context) {
    const role = readRole(context.options)
    return usingDatabase(existingDatabase(context), async (database) => {
      const url = await urlForSession(context, database, role)
      const byPsql = isForPsql(context.options) ? await runPsql(url, context.options) : undefined
      return byPsql ?? runOwnPrompt(url, context.options)
    })
  },
}

type Role = DatabaseRole | 'owner'
const ROLES: readonly Role[] = [...(Object.keys(DATABASE_ROLES) as DatabaseRole[]), 'owner']

function readRole(options: Options): Role {
  const given = textOption(options, 'role') ?? 'analyst'
  const role = ROLES.find((one) => one === given || (one !== 'owner' && DATABASE_ROLES[one] === given))
  if (!role) throw new CommandError(`--role: one of ${ROLES.join(', ')}, not "${given}"`)
  return role
}

async function requireUrl({ settings }: Context, database: OpenDatabase, role: Role): Promise<string> {
  const url = role === 'owner' ? database.url : await urlOfRole(database, settings, role)
  if (url !== undefined) return url
  throw new CommandError(
    `The password of ${DATABASE_ROLES[role as DatabaseRole]} is not known here. Set ` +
      `DATABASE_${role.toUpperCase()}_PASSWORD and run "shardwalk migrate", which gives it to the role; or ` +
      'take --role owner.',
  )
}

/** Without a read-only role, the user of the URL: its transactions are read-only by default. */
const urlForSession = async (context: Context, database: OpenDatabase, role: Role): Promise<string> =>
  role === 'analyst'
    ? ((await urlOfRole(database, context.settings, role)) ?? database.url)
    : requireUrl(context, database, role)

/** It prints CSV as it is, control characters and formulas included. */
const isForPsql = (options: Options): boolean =>
  options['csv-safe'] !== true && !(options['csv'] === true && process.stdout.isTTY)

/** Parameters of a URL, and the variables in which psql reads them. */
const TLS = { sslmode: 'PGSSLMODE', sslrootcert: 'PGSSLROOTCERT', sslcert: 'PGSSLCERT', sslkey: 'PGSSLKEY' }

/** The word of `pg` for encryption without verifying, which psql does not know. */
const NO_VERIFY = 'no-verify'

/** How psql connects, without its command line, which everybody on the machine can read. */
export function psqlEnvironment(url: string): Record<string, string> {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url)
  const tls = Object.entries(TLS).flatMap(([parameter, variable]) => {
    const value = searchParams.get(parameter)
    return value === null ? [] : [[variable, value === NO_VERIFY ? 'require' : value] as const]
  })
  return {
    PGHOST: decodeURIComponent(hostname.replace(/^\[|\]$/g, '')) || (searchParams.get('host') ?? ''),
    PGPORT: port || '5432',
    PGUSER: searchParams.get('user') ?? decodeURIComponent(username),
    PGPASSWORD: searchParams.get('password') ?? decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
    PGSSLMODE: 'prefer',
    ...Object.fromEntries(tls),
    PGAPPNAME: 'shardwalk sql',
    PGOPTIONS: readOnlySession(url).options,
  }
}

/** Undefined if psql is not installed. */
function runPsql(url: string, options: Options): Promise<ExitCode | undefined> {
  const statements = textOption(options, 'c')
  const args = [
    ...['-v', 'ON_ERROR_STOP=1'],
    ...(options['csv'] ? ['--csv'] : []),
    ...(statements === undefined ? [] : ['-X', '-c', statements]),
  ]
  const env = { ...process.env, ...psqlEnvironment(url) }
  return new Promise((resolve) => {
    // Ctrl-C cancels the statement in psql and must not end this process first.
    const ignore = () => {}
    process.on('SIGINT', ignore)
    const child = spawn('psql', args, { env, stdio: 'inherit' })
    const end = (code: ExitCode | undefined) => {
      process.off('SIGINT', ignore)
      resolve(code)
    }
    child.once('error', () => end(undefined))
    child.once('close', (code) => end(code === 0 ? EXIT.done : EXIT.fix))
  })
}

async function runOwnPrompt(url: string, options: Options): Promise<ExitCode> {
  const session = await FreeSession.open(url)
  const csvSafe = options['csv-safe'] === true
  const to: Printing = {
    csv: csvSafe || options['csv'] === true,
    csvSafe,
    isTerminal: process.stdout.isTTY,
    print: (text) => console.log(text),
  }
  try {
    const statements = textOption(options, 'c')
    if (statements !== undefined) {
      await runStatement(session, statements, to)
      return EXIT.done
    }
    const io = { input: process.stdin, output: process.stderr }
    return (await promptForStatements(session, io, to)) ? EXIT.done : EXIT.fix
  } finally {
    await session.close()
  }
}
