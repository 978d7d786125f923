import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Logger } from '@shardwalk/observability'
import { nodeArguments } from './entry.ts'
import { killWhenSilent } from './silence.ts'

/** A process to start. */
export interface ChildSpec {
  readonly name: string
  /** TypeScript entry file, relative to the repository. */
  readonly entry: string
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** What the supervisor is called with. */
export interface ChildEvents {
  readonly log: Logger
  /** Called for each line that the child writes to standard output or standard error. */
  readonly onLine: (line: string) => void
  /** Called when a process was started, or ended. */
  readonly onPid?: () => void
  /** Called for each message from the child. */
  readonly onMessage?: (message: unknown) => void
  /** Time without a sign after which the process is killed; default: `SILENCE_MS`. */
  readonly silenceMs?: number
}

/** After running this long a child counts as healthy, and the restart delay starts from the beginning. */
const HEALTHY_AFTER_MS = 5_000
const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 15_000

/**
 * A child process that is restarted, with increasing delays, whenever it exits before `stop` is called, or
 * cannot be started.
 */
export class Child {
  private process: ChildProcess | undefined
  private timer: NodeJS.Timeout | undefined
  private failures = 0
  private stopped = false

  constructor(
    private readonly spec: ChildSpec,
    private readonly events: ChildEvents,
    private readonly spawnProcess: typeof spawn = spawn,
  ) {}

  get pid(): number | undefined {
    return this.process?.pid
  }

  start(): void {
    const child = this.spawn()
    if (!child) return
    // Without a pid there are no streams, and the reason follows.
    if (child.pid === undefined) child.once('error', (error) => this.notStarted(error))
    else this.watch(child)
  }

  private spawn(): ChildProcess | undefined {
    try {
      return this.spawnNode()
    } catch (error) {
      this.notStarted(error)
      return undefined
    }
  }

  private spawnNode(): ChildProcess {
    return this.spawnProcess(
      process.execPath,
      [
        '--import',
        import.meta.resolve('./exit-with-parent.mjs'),
        '--import',
        import.meta.resolve('./heartbeat.mjs'),
        ...nodeArguments(this.spec.entry),
        ...(this.spec.args ?? []),
      ],
      { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: { ...process.env, ...this.spec.env } },
    )
  }

  private watch(child: ChildProcess): void {
    const startedAt = performance.now()
    this.process = child
    this.events.onPid?.()
    this.events.log.info('process started', { child: this.spec.name, pid: child.pid })
    for (const stream of [child.stdout, child.stderr]) forwardLines(stream!, this.events.onLine)
    child.on('message', (message) => this.events.onMessage?.(message))
    killWhenSilent(child, () => this.reportSilence(child.pid), this.events.silenceMs)
    child.on('error', (error) =>
      this.events.log.error('process not reached', { child: this.spec.name, error }),
    )
    child.once('exit', (code, signal) => this.ended(code, signal, performance.now() - startedAt))
  }

  private notStarted(error: unknown): void {
    this.events.log.error('process not started', { child: this.spec.name, error })
    this.ended(null, null, 0)
  }

  private reportSilence(pid: number | undefined): void {
    this.events.log.error('process is blocked and was killed', { child: this.spec.name, pid })
  }

  private ended(code: number | null, signal: string | null, aliveMs: number): void {
    this.process = undefined
    this.events.onPid?.()
    if (this.stopped) return
    this.failures = aliveMs > HEALTHY_AFTER_MS ? 1 : this.failures + 1
    const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (this.failures - 1))
    this.events.log.warn('process ended', { child: this.spec.name, code, signal, restart_in_ms: delayMs })
    this.timer = setTimeout(() => this.start(), delayMs)
  }

  /** Asks the process to exit, kills it after `timeoutMs`, and resolves when it has exited. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    const child = this.process
    if (!child || child.exitCode !== null) return
    await new Promise<void>((resolve) => {
      const killer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
      child.once('exit', () => {
        clearTimeout(killer)
        resolve()
      })
      child.kill('SIGTERM')
    })
  }

  /** Kills the process without waiting, when this process is about to exit. */
  kill(): void {
    this.stopped = true
    this.process?.kill('SIGKILL')
  }
}

function forwardLines(stream: Readable, onLine: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLine)
}
