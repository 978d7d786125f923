import { type ChildProcess, spawn } from 'node:child_process'

/** Signals and how long each is waited for. */
export type GuardSteps = readonly (readonly [signal: 'INT' | 'TERM' | 'QUIT' | 'KILL', waitMs: number])[]

/**
 * Reads the ids of processes from its input, a list per line of which the last counts. Its input ends with
 * this process, however that ends; then it sends the signals, one after the other, to those that still run.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT
pids=
while read -r line; do pids=$line; done
alive() { for pid in $pids; do kill -0 "$pid" 2>/dev/null && return 0; done; return 1; }
for step in "$@"; do
  for pid in $pids; do kill -"\${step%:*}" "$pid" 2>/dev/null; done
  left=\${step#*:}
  while [ "$left" -gt 0 ] && alive; do sleep 0.1; left=$((left - 1)); done
  alive || exit 0
done
`

/** When a shell that could not be started is started again. */
const AGAIN_MS = 1_000

/**
 * Ends processes when this one is gone, even if it was killed and they are busy or in another process group.
 * Not on Windows.
 */
export class ProcessGuard {
  private shell: ChildProcess | undefined
  private pids: readonly number[] = []
  private isClosed = false

  constructor(
    private readonly steps: GuardSteps,
    private readonly spawnProcess: typeof spawn = spawn,
  ) {
    this.open()
  }

  /** Replaces the processes to end. */
  set(pids: readonly number[]): void {
    this.pids = pids
    this.shell?.stdin?.write(`${pids.join(' ')}\n`)
  }

  /** Stops guarding: the processes end in another way. */
  close(): void {
    this.isClosed = true
    this.shell?.kill('SIGKILL')
  }

  private open(): void {
    if (process.platform === 'win32' || this.isClosed) return
    const shell = this.spawnShell()
    if (shell?.pid === undefined) {
      shell?.once('error', () => {})
      setTimeout(() => this.open(), AGAIN_MS).unref()
      return
    }
    this.shell = shell
    shell.stdin!.on('error', () => {})
    shell.on('error', () => {})
    // If the shell is killed, another one takes its place.
    shell.once('exit', () => this.open())
    shell.unref()
    // A pipe keeps the process alive; this one is a socket.
    ;(shell.stdin as unknown as { unref(): void }).unref()
    if (this.pids.length > 0) this.set(this.pids)
  }

  /** The shell; undefined, or without a pid, if the system lacks memory, files or processes. */
  private spawnShell(): ChildProcess | undefined {
    const steps = this.steps.map(([signal, waitMs]) => `${signal}:${Math.round(waitMs / 100)}`)
    try {
      return this.spawnProcess('/bin/sh', ['-c', SCRIPT, 'shardwalk-guard', ...steps], {
        cwd: '/',
        // Signals to the group of this process must not reach it.
        detached: true,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
    } catch {
      return undefined
    }
  }
}
