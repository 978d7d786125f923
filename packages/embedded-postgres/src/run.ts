import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { EmbeddedPostgresError } from './errors.ts'
import type { ServerUser } from './server-user.ts'

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly user?: ServerUser
}

/** Environment of PostgreSQL programs. Nothing is inherited, so that PGDATA or LC_ALL have no effect. */
export const programEnvironment = (env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  ...(process.platform === 'win32'
    ? { SystemRoot: process.env['SystemRoot'], TEMP: process.env['TEMP'] }
    : {}),
  TZ: 'UTC',
  LC_ALL: 'C',
  ...env,
})

/** A program could not be started at all. */
export function cannotRun(file: string, cause: Error | undefined): EmbeddedPostgresError {
  // Systems report the same if the program is there, and what loads its libraries is not.
  const lacksLoader = (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT' && existsSync(file)
  const reason = lacksLoader
    ? 'it needs glibc, which this system (Alpine?) does not have; use one that does, such as the image ' +
      'node:24-slim, or set DATABASE_URL'
    : (cause?.message ?? 'it did not start')
  return new EmbeddedPostgresError(`cannot run ${file}: ${reason}`, { cause })
}

/** Runs a program to completion. Throws `EmbeddedPostgresError` with its output if it fails. */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: '/',
      env: programEnvironment(options.env),
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options.user,
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output = (output + chunk).slice(-4000)
      })
    child.once('error', (cause) => reject(cannotRun(file, cause)))
    child.once('close', (code, signal) => {
      if (code === 0) resolve()
      else
        reject(
          new EmbeddedPostgresError(`${file} failed (${signal ?? `exit code ${code}`}): ${output.trim()}`),
        )
    })
  })
}
