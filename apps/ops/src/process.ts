import { spawn } from 'node:child_process'
import { EXIT, type ExitCode } from '@shardwalk/observability'
import { nodeArguments } from './entry.ts'

/**
 * Runs one process type in the foreground: output and signals are passed through, its exit code is returned.
 */
export function runForeground(
  entry: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ExitCode> {
  const child = spawn(process.execPath, [...nodeArguments(entry), ...args], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  const forward = (signal: NodeJS.Signals) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, forward)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, forward)
      resolve(Object.values(EXIT).find((known) => known === code) ?? EXIT.fix)
    })
  })
}
