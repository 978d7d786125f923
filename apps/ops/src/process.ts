import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import { nodeArguments } from './entry.ts'
import { killWhenSilent } from './silence.ts'

export interface ForegroundOptions {
  /** Time without a sign after which the process is killed; default: never, for work that ends by itself. */
  readonly silenceMs?: number
  /** Ends the process as SIGTERM does. */
  readonly signal?: AbortSignal
}

/**
 * Runs one process type in the foreground: output and signals are passed through, its exit code is returned.
 */
export async function runForeground(
  entry: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { silenceMs, signal }: ForegroundOptions = {},
): Promise<ExitCode> {
  const child = spawn(process.execPath, [...HEARTBEAT, ...nodeArguments(entry), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  })
  let isKilled = false
  const onKill = () => {
    isKilled = true
    process.stderr.write('the process is blocked and was killed\n')
  }
  if (silenceMs !== undefined) killWhenSilent(child, onKill, silenceMs)
  const forward = (name: NodeJS.Signals) => child.kill(name)
  const end = () => forward('SIGTERM')
  for (const name of SIGNALS) process.on(name, forward)
  signal?.addEventListener('abort', end, { once: true })
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    if (isKilled) return EXIT.tryAgain
    if (killedBy) return endedBySignal(killedBy)
    return Object.values(EXIT).find((known) => known === code) ?? EXIT.fix
  } finally {
    for (const name of SIGNALS) process.off(name, forward)
    signal?.removeEventListener('abort', end)
  }
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM']

/** The process ended without a message, for example because the system killed it. */
function endedBySignal(signal: NodeJS.Signals): ExitCode {
  // While it starts it has no handlers yet.
  if (SIGNALS.includes(signal)) return EXIT.done
  const cause = signal === 'SIGKILL' ? ', as the system does when memory or a limit of it is exhausted' : ''
  process.stderr.write(`the process was ended by ${signal}${cause}\n`)
  return EXIT.tryAgain
}
const HEARTBEAT = ['--import', import.meta.resolve('./heartbeat.mjs')]
