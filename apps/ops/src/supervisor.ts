import { ProcessGuard } from '@shardwalk/embedded-postgres'
import type { Logger } from '@shardwalk/observability'
import { Child, type ChildSpec } from './child.ts'
import { type ChildMessage, toChildMessage } from './messages.ts'
import type { Terminal } from './terminal.ts'

export interface SupervisorOptions {
  readonly terminal: Terminal
  readonly log: Logger
}

/** Share of the ten seconds allowed for shutdown; the rest is for the database. */
const CHILD_STOP_MS = 6_000
/** Children that lose this process shut down by themselves (exit-with-parent.mjs); busy ones are killed. */
const ORPHAN_STEPS = [
  ['TERM', 3_000],
  ['KILL', 0],
] as const

/** Child processes that run and stop together. */
export class Supervisor {
  private readonly children = new Map<string, Child>()
  private readonly guard = new ProcessGuard(ORPHAN_STEPS)
  /** Ends `failed` with the reason why the children can never work. */
  abandon: (reason: string) => void = () => {}

  /** Resolves to the reason why the children can never work. */
  readonly failed: Promise<string> = new Promise((resolve) => {
    this.abandon = resolve
  })

  constructor(private readonly options: SupervisorOptions) {
    process.once('exit', () => this.kill())
  }

  start(spec: ChildSpec, onMessage?: (message: ChildMessage) => void): void {
    const { terminal, log } = this.options
    const child = new Child(spec, {
      log,
      onLine: (line) => terminal.line(line),
      onPid: () => this.guardChildren(),
      onMessage: (raw) => {
        const message = toChildMessage(raw)
        if (message?.type === 'fatal') this.abandon(`${spec.name}: ${message.message}`)
        if (message?.type === 'progress') terminal.status(message.line)
        if (message) onMessage?.(message)
      },
    })
    this.children.set(spec.name, child)
    child.start()
  }

  private guardChildren(): void {
    const pids = [...this.children.values()].map(({ pid }) => pid)
    this.guard.set(pids.filter((pid) => pid !== undefined))
  }

  has(name: string): boolean {
    return this.children.has(name)
  }

  /** Stops all children at the same time, signalling the last started first. */
  async stop(): Promise<void> {
    await Promise.all([...this.children.values()].reverse().map((child) => child.stop(CHILD_STOP_MS)))
  }

  /** Kills all children without waiting, when this process is about to exit. */
  kill(): void {
    for (const child of this.children.values()) child.kill()
  }
}
