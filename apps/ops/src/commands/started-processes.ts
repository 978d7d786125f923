import { rmSync } from 'node:fs'
import { sleep } from '@shardwalk/concurrency'
import { isFiles, type NetworkUnreachable, writeConfig } from '@shardwalk/networks'
import type { Logger } from '@shardwalk/observability'
import { apiMemory, type Settings } from '@shardwalk/settings'
import { startPoint } from '../chain-access.ts'
import type { Context } from '../context.ts'
import type { KeptDatabase } from '../kept-database.ts'
import type { ChildMessage } from '../messages.ts'
import { messageOf } from '../outcome.ts'
import { addressOf } from '../own-address.ts'
import { claimPort } from '../ports.ts'
import { reachNetwork } from '../reach.ts'
import { processEnvironment } from '../role-urls.ts'
import type { Supervisor } from '../supervisor.ts'
import type { Terminal } from '../terminal.ts'
import { ACTIONS_PROCESS } from './actions.ts'
import { METADATA_PROCESS } from './metadata.ts'
import { apiNetwork } from './processes.ts'

const RECONNECT_INTERVAL_MS = 15_000

export const startApi = (supervisor: Supervisor, settings: Settings): void =>
  supervisor.start({
    name: 'api',
    entry: 'apps/api/src/main.ts',
    env: { ...childEnvironment(settings), ...apiMemory(settings, process.env) },
  })

/** A config left by an earlier replay is deleted, because its port is no longer valid. */
export function networkOfApi(context: Context): string {
  const name = apiNetwork(context)
  if (context.network.kind === 'recording') rmSync(name, { force: true })
  return name
}

/** Prints the address of the API as soon as it answers. */
export async function announceApi(
  settings: Settings,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const base = addressOf(settings)
  while (!signal.aborted) {
    const answer = await fetch(`${base}/healthz`, { signal: AbortSignal.timeout(1000) }).catch(
      () => undefined,
    )
    if (answer?.ok)
      return terminal.line(
        `Shardwalk serves ${settings.network} at ${base}/api/v3/ with profile ${settings.apiProfile} ` +
          '(Ctrl-C stops it)',
      )
    await sleep(100, signal)
  }
}

export function startWorkers(supervisor: Supervisor, settings: Settings): void {
  const env = childEnvironment(settings)
  supervisor.start({ name: 'actions', entry: ACTIONS_PROCESS, env })
  if (settings.metadataFetch) supervisor.start({ name: 'metadata', entry: METADATA_PROCESS, env })
}

interface IngestStart {
  readonly context: Context
  readonly settings: Settings
  readonly database: KeptDatabase
  readonly supervisor: Supervisor
  readonly log: Logger
  readonly unreachable: NetworkUnreachable | undefined
  readonly signal: AbortSignal
}

/** Starts ingest as soon as the network is reached, or the server of a recorded chain. */
export async function startIngest(options: IngestStart): Promise<void> {
  const { context, settings, database, supervisor, signal } = options
  const { network, dataDir } = context
  const indexFrom = await startPoint(context)
  const ingest = (name: string) => {
    if (supervisor.has('ingest')) return
    const env = childEnvironment({ ...settings, network: name, indexFrom })
    if (isFiles(network)) env['CHAIN_ENDS'] = '1'
    supervisor.start({ name: 'ingest', entry: 'apps/ingest/src/main.ts', env })
  }
  if (network.kind === 'archive') return ingest(network.folder)
  if (network.kind !== 'recording') {
    void reachUntilFound(options).then((found) => found && ingest(settings.network))
    return
  }
  const port = await claimPort('127.0.0.1', 0, 'replay server')
  const env = childEnvironment({ ...settings, network: network.folder })
  const served = (message: ChildMessage) => {
    if (message.type !== 'serving') return
    const written = database.untilSpace(() => writeConfig(`${network.slug}_replay`, dataDir, message.config))
    written.then(ingest).catch((error: unknown) => {
      if (!signal.aborted) supervisor.abandon(`config of the replay not written: ${messageOf(error)}`)
    })
  }
  supervisor.start(
    { name: 'replay', entry: 'apps/ops/src/replay-process.ts', env: { ...env, REPLAY_PORT: String(port) } },
    served,
  )
}

async function reachUntilFound({ context, log, unreachable, signal }: IngestStart): Promise<boolean> {
  const report = (problem: unknown) =>
    // Without the advice for a first start, which follows.
    log.warn('network not reached; indexed data served', { error: messageOf(problem).split('\n')[0] })
  if (unreachable) report(unreachable)
  while (!signal.aborted) {
    try {
      const { warning } = await reachNetwork(context)
      if (warning) log.warn('global config', { notice: warning })
      return true
    } catch (error) {
      report(error)
      await sleep(RECONNECT_INTERVAL_MS, signal)
    }
  }
  return false
}

function childEnvironment(settings: Settings): Record<string, string> {
  const format = settings.logFormat ?? (process.stdout.isTTY ? 'pretty' : 'json')
  return processEnvironment({ ...settings, logFormat: format })
}
