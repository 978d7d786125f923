import { type ChildProcess, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { findEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { endWithTests } from '@shardwalk/testkit'
import { freePort } from '@shardwalk/testkit/free-port'
import { COMPILED_ROOT } from '@shardwalk/testkit/runs'
import { beginningOfSample, makePreparedDataDir } from './drill.ts'
import { waitUntil, within } from './processes.ts'

/** Ten seconds are guaranteed; the rest is for busy machines. */
const STOP_MS = 60_000

export interface StartOptions {
  readonly dataDir: string
  readonly apiPort: number
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Runs the command: its last arguments are a program and what that is given. */
  readonly runner?: readonly string[]
}

const started = new Set<RunningStart>()

/** Kills what a test that failed has left running; `folders` are removed as soon as nothing writes there. */
export async function cleanUp(folders: readonly string[]): Promise<void> {
  for (const run of started) await run.killCommand()
  for (const folder of folders)
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
}

/** `npm start` as a user runs it, with access to its processes. */
export class RunningStart {
  /** Latest process id by name. */
  readonly pids = new Map<string, number>()
  readonly lines: string[] = []
  private readonly child: ChildProcess
  readonly exited: Promise<number | null>

  constructor(private readonly options: StartOptions) {
    const { dataDir, apiPort, args = [], env = {}, runner = [] } = options
    const flags = ['--data-dir', dataDir, '--api-port', String(apiPort), '--log-format', 'json', ...args]
    const [program = '', ...rest] = [...runner, process.execPath, 'scripts/start.mjs', ...flags]
    this.child = spawn(program, rest, {
      cwd: COMPILED_ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    endWithTests(this.child)
    started.add(this)
    this.exited = new Promise((resolve) => this.child.once('exit', resolve))
    this.exited.then(() => started.delete(this))
    for (const stream of [this.child.stdout!, this.child.stderr!])
      createInterface({ input: stream }).on('line', (line) => this.read(line))
  }

  /** Of the command, or of its runner if that has not ended in favour of it. */
  get pid(): number | undefined {
    return this.child.pid
  }

  /** The end of a pager. */
  stopReading(): void {
    this.child.stdout!.destroy()
  }

  private read(line: string): void {
    this.lines.push(line)
    const started = /"message":"process started".*"child":"(\w+)","pid":(\d+)/.exec(line)
    if (started) this.pids.set(started[1]!, Number(started[2]))
  }

  /** Kills a process without warning. Returns false if it is not running. */
  async kill(name: string): Promise<boolean> {
    const pid =
      name === 'postgres' ? (await findEmbeddedPostgres(this.options.dataDir))?.pid : this.pids.get(name)
    try {
      process.kill(pid ?? Number.NaN, 'SIGKILL')
      return true
    } catch {
      return false
    }
  }

  /** Kills the command itself, which cannot stop what it started. */
  async killCommand(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.exited
  }

  /** Resolves when everything up to the end of the recording is indexed. */
  async untilIndexed(seqno: number, timeoutMs: number): Promise<void> {
    const url = `http://127.0.0.1:${this.options.apiPort}/readyz?synced=1`
    let reply: {
      readonly ok?: boolean
      readonly indexed?: { readonly first: number; readonly last: number }
    } = {}
    const isIndexed = async () => {
      this.assertAlive()
      reply = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
        (r) => r.json() as Promise<typeof reply>,
        () => ({}),
      )
      return reply.ok === true && reply.indexed?.first === 1 && reply.indexed.last === seqno
    }
    const seen = () => `${JSON.stringify(reply)}\n${this.lines.slice(-30).join('\n')}`
    await waitUntil(`everything up to ${seqno} is indexed`, isIndexed, { timeoutMs, everyMs: 400, seen })
  }

  /** Throws with the last lines if the command has exited by itself. */
  assertAlive(): void {
    if (this.child.exitCode !== null)
      throw new Error(`ended with exit code ${this.child.exitCode}\n${this.lines.slice(-30).join('\n')}`)
  }

  /**
   * Stops the command. If it has not exited after a minute, kills it and throws with its last lines.
   */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM')
    try {
      return await within('the end after SIGTERM', STOP_MS, this.exited)
    } catch (error) {
      this.child.kill('SIGKILL')
      throw new Error(`${(error as Error).message}\n${this.lines.slice(-30).join('\n')}`)
    }
  }
}

/** `npm start` on the first `to` masterchain blocks of the sample, in a prepared data folder. */
export async function startBeginning(folders: string[], to: number): Promise<Beginning> {
  const [dataDir, apiPort] = [await makePreparedDataDir(folders), await freePort()]
  const args = ['--network', await beginningOfSample(folders, to)]
  return { dataDir, apiPort, run: new RunningStart({ dataDir, apiPort, args }) }
}

interface Beginning extends Pick<StartOptions, 'dataDir' | 'apiPort'> {
  readonly run: RunningStart
}
