import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { apiMemory, readSettings } from '@shardwalk/settings'
import type { ScratchDatabase } from '@shardwalk/testkit'
import { programArguments } from '@shardwalk/testkit/compiled-program'
import { freePort } from '@shardwalk/testkit/free-port'
import { classifiedChain } from '@shardwalk/testkit/refresh-chain'
import { forkLiteServer } from './lite-server.ts'

export interface TargetOptions {
  /** Of the API. MiB; default: that of the setting. */
  readonly heapMib?: number | undefined
  /** Folder for processor profiles of the API and its threads; default: none are taken. */
  readonly profiles?: string | undefined
  /** Entry file of the API. Default: the API as it is, compiled. */
  readonly entry?: string
  readonly env?: Readonly<Record<string, string>>
}

/** An API that is attacked. */
export interface Target {
  /** `http://host:port`. */
  readonly url: string
  /** Its metrics. */
  readonly metricsUrl?: string | undefined
  /** Its process; undefined: somewhere else. */
  readonly pid?: number | undefined
  /** Why it ended; undefined while it runs. */
  ended(): string | undefined
  close(): Promise<void>
}

const DEFAULTS = readSettings({ env: {}, readSecretFile: String }).settings
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

const API = 'apps/api/src/main.js'

/** Compiled as for production: the compiler of sources takes memory in the process and its threads. */
async function compiledApi(): Promise<string> {
  // In tests it is there (see vitest.config.ts).
  const copy = process.env['COMPILED_COPY']
  if (copy) return join(copy, 'dist', API)
  const { compile } = await import(join(ROOT, 'scripts/lib/compile.mjs'))
  const out = join(ROOT, 'node_modules/.cache/shardwalk-attack')
  await rm(out, { recursive: true, force: true })
  await compile(out)
  return join(out, API)
}

/** What the API needs: PostgreSQL with the recorded chain, examined and classified, and a lite server. */
export class Surroundings {
  private constructor(
    readonly scratch: ScratchDatabase,
    private readonly liteServer: ChildProcess,
    private readonly folder: string,
    private readonly api: string,
  ) {}

  static async open(): Promise<Surroundings> {
    const folder = await mkdtemp(join(tmpdir(), 'shardwalk-attack-'))
    const { liteServer, globalConfig } = await forkLiteServer()
    await writeFile(join(folder, 'network.json'), globalConfig)
    return new Surroundings(await classifiedChain(), liteServer, folder, await compiledApi())
  }

  /** Starts an API process of its own. */
  async start({ heapMib, profiles, entry = this.api, env = {} }: TargetOptions = {}): Promise<Target> {
    const metricsPort = await freePort()
    const options = [...(profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`])]
    const program = entry.endsWith('.ts') ? await programArguments(entry) : [entry]
    const child = spawn(process.execPath, [...options, ...program], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        ...apiMemory({ apiHeapMib: heapMib ?? DEFAULTS.apiHeapMib }, process.env),
        DATABASE_URL: this.scratch.url,
        NETWORK: join(this.folder, 'network.json'),
        DATA_DIR: this.folder,
        API_PORT: '0',
        METRICS_PORT: String(metricsPort),
        LOG_FORMAT: 'json',
        ...env,
      },
    })
    let end: string | undefined
    child.once('exit', (code, signal) => {
      end = signal ?? `exit code ${code}`
    })
    const url = await listeningUrl(child)
    return {
      url,
      metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
      pid: child.pid,
      ended: () => end,
      async close() {
        if (end !== undefined) return
        child.kill('SIGTERM')
        await once(child, 'exit')
      },
    }
  }

  async close(): Promise<void> {
    this.liteServer.kill()
    await this.scratch.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** Resident memory of a process in MiB. Linux only. */
export const residentMib = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024

/** From the line that the API logs once it listens; other lines are shown if they are errors. */
function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the API did not start: exit code ${code}`)))
    createInterface({ input: child.stderr! }).on('line', (line) => {
      const found = /"url":"(http:\/\/[^/"]+)/.exec(line)
      if (found) resolve(found[1]!)
      if (/"level":"error"/.test(line)) console.log(`  API: ${line.slice(0, 500)}`)
    })
  })
}
