import { spawn } from 'node:child_process'
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
    child.once('error', (cause) =>
      reject(new EmbeddedPostgresError(`cannot run ${file}: ${cause.message}`, { cause })),
    )
    child.once('close', (code, signal) => {
      if (code === 0) resolve()
      else
        reject(
          new EmbeddedPostgresError(`${file} failed (${signal ?? `exit code ${code}`}): ${output.trim()}`),
        )
    })
  })
}
