// Processes of benchmarks: an API, and the lite server that it asks.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startReplay } from '@shardwalk/replay'
import { apiMemory, readSettings } from '@shardwalk/settings'
import { FIXTURE_CHAIN_FOLDER, waitFor } from '@shardwalk/testkit'
import { freePort } from '@shardwalk/testkit/free-port'

const DEFAULTS = readSettings({ env: {}, readSecretFile: String }).settings

export interface Reply {
  readonly ms: number
  readonly status: number
}

interface Question {
  /** Posted. */
  readonly body?: object
  /** Address of who asks. */
  readonly client?: string
}

export type Ask = (path: string, question?: Question) => Promise<Reply>

export interface ApiProcess {
  readonly child: ChildProcess
  readonly ask: Ask
}

/** An API as `start` runs it. `onLine`: what it prints. */
export async function startApi(
  env: Readonly<Record<string, string>>,
  {
    flags = [],
    onLine,
  }: { readonly flags?: readonly string[]; readonly onLine?: (line: string) => void } = {},
): Promise<ApiProcess> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url))
  const child = spawn(process.execPath, [...flags, '--import', 'tsx', entry], {
    env: {
      ...{ ...process.env, ...apiMemory(DEFAULTS, process.env), ...env },
      ...{ LOG_LEVEL: 'error', ANONYMOUS_RPS: '0', TRUSTED_PROXIES: '127.0.0.1' },
      ...{ API_PORT: String(port), METRICS_PORT: String(metricsPort) },
    },
    stdio: ['ignore', onLine ? 'pipe' : 'inherit', 'inherit'],
  })
  if (onLine) createInterface({ input: child.stdout! }).on('line', onLine)
  const ask = asking(port)
  const isReady = async () => (await ask('/readyz').catch(() => undefined))?.status === 200
  await waitFor('the API', isReady, { timeoutMs: 120_000, everyMs: 200 })
  return { child, ask }
}

/** Replies are compressed as for browsers, and thrown away. */
function asking(port: number): Ask {
  const agent = new Agent({ keepAlive: true })
  return (path, { body, client } = {}) =>
    new Promise((resolve, reject) => {
      const text = body && JSON.stringify(body)
      const headers = {
        'Accept-Encoding': 'gzip',
        ...(client && { 'X-Forwarded-For': client }),
        ...(text && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
      }
      const sent = request({ host: '127.0.0.1', port, path, agent, method: text ? 'POST' : 'GET', headers })
      sent.on('error', reject)
      sent.on('response', (reply) => {
        reply.on('error', reject).on('end', () => resolve({ ms: 0, status: reply.statusCode! }))
        reply.resume()
      })
      sent.end(text)
    })
}

export async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill()
  await ended
}

/** A lite server of the recorded chain as a process of its own, and the file with its global config. */
export async function startLiteServer(folder: string) {
  const lite = fork(fileURLToPath(import.meta.url), ['lite-server'], { execArgv: process.execArgv })
  const [globalConfig] = (await once(lite, 'message')) as [string]
  const network = join(folder, 'global.config.json')
  writeFileSync(network, globalConfig)
  return { lite, network }
}

if (process.argv[2] === 'lite-server') {
  const { globalConfig } = await startReplay({ recording: FIXTURE_CHAIN_FOLDER })
  process.send!(globalConfig)
}
