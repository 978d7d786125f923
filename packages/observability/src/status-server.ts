import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorMessage, IndexerError } from '@shardwalk/model'
import type { Logger } from './logger.ts'
import type { MetricsText } from './metrics.ts'
import type { Shutdown } from './shutdown.ts'

/** Content of `/readyz`: status 200 if `ok`, otherwise 503. The body is JSON. */
export interface Readiness {
  readonly ok: boolean
  readonly [detail: string]: unknown
}

/** Where the server listens, and what it shows. */
export interface StatusServerOptions {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
  readonly metrics: MetricsText
  readonly readiness: () => Readiness | Promise<Readiness>
}

/** A running server of `/healthz`, `/readyz` and `/metrics`. */
export interface StatusServer {
  readonly address: AddressInfo
  close(): void
}

interface Reply {
  readonly status: number
  readonly type: string
  readonly body: string
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics`, for a process that serves nothing else. Rejects if the port is
 * in use.
 */
export async function serveStatus({
  host,
  port,
  metrics,
  readiness,
}: StatusServerOptions): Promise<StatusServer> {
  const routes: Readonly<Record<string, () => Promise<Reply>>> = {
    '/healthz': async () => ({ status: 200, type: 'text/plain', body: 'OK' }),
    '/readyz': async () => {
      const state = await readiness()
      return { status: state.ok ? 200 : 503, type: 'application/json', body: JSON.stringify(state) }
    },
    '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await metrics.text() }),
  }
  const server = createServer(async (request, response) => {
    const route = routes[(request.url ?? '/').split('?', 1)[0]!]
    const reply = route ? await route().catch(failed) : NOT_FOUND
    response.writeHead(reply.status, { 'Content-Type': reply.type }).end(reply.body)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  return {
    address: server.address() as AddressInfo,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The same for a process that serves nothing else. */
export interface ProcessStatusOptions extends Omit<StatusServerOptions, 'port'> {
  /** If undefined, nothing is served. */
  readonly port: number | undefined
  /** The setting that the port is from. */
  readonly setting: string
  readonly log: Logger
  readonly shutdown: Shutdown
}

/** Like `serveStatus`, until the process shuts down; not ready from then on. */
export async function serveProcessStatus({
  log,
  shutdown,
  port,
  setting,
  ...options
}: ProcessStatusOptions): Promise<void> {
  if (port === undefined) return
  const readiness = async () => {
    const state = await options.readiness()
    return { ...state, ok: state.ok && !shutdown.signal.aborted }
  }
  const server = await serveStatus({ ...options, port, readiness }).catch((cause: Error) => {
    throw new CannotListen(cause, { host: options.host, port, setting })
  })
  log.info('status served', { address: server.address })
  shutdown.onShutdown('status server', () => server.close())
}

/** A server cannot listen where the settings say. */
export class CannotListen extends IndexerError {
  readonly code = 'cannot_listen'
  readonly retry: 'later' | 'never'

  /** `setting`: that of the port. */
  constructor(
    cause: NodeJS.ErrnoException,
    { host, port, setting }: { readonly host: string; readonly port: number; readonly setting: string },
  ) {
    const isTaken = cause.code === 'EADDRINUSE'
    super(
      isTaken
        ? `port ${port} on ${host} is in use by another program; set ${setting} to another one`
        : `${settingAtFault(cause, setting)}: ${cause.message}`,
      { cause },
    )
    // The server of names is away.
    this.retry = cause.code === 'EAI_AGAIN' ? 'later' : 'never'
  }
}

/** The address does not belong to this machine, or its name is unknown. */
const OF_HOST = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ENOTFOUND', 'EAI_AGAIN']

/** What has to be corrected if a server on `API_HOST` cannot listen: that, or the setting of its port. */
export const settingAtFault = (error: unknown, portSetting: string): string =>
  OF_HOST.includes((error as NodeJS.ErrnoException).code ?? '') ? 'API_HOST' : portSetting

const NOT_FOUND: Reply = { status: 404, type: 'text/plain', body: 'not found' }

const failed = (error: unknown): Reply => ({
  status: 500,
  type: 'text/plain',
  body: errorMessage(error),
})
