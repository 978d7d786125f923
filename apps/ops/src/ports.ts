import { type AddressInfo, createServer } from 'node:net'
import { settingAtFault } from '@shardwalk/observability'
import type { Settings } from '@shardwalk/settings'
import { CommandError, messageOf } from './outcome.ts'

/**
 * The port of the API. Throws `CommandError` if one of those on which processes of `start` serve is in use,
 * or is given twice: the process would be started again and again.
 */
export async function claimPorts(settings: Settings): Promise<number> {
  const { apiHost, apiPort, metricsPort, ingestPort, actionsPort, metadataPort } = settings
  const ports = {
    // With the API.
    METRICS_PORT: metricsPort === apiPort ? undefined : metricsPort,
    INGEST_PORT: ingestPort,
    ACTIONS_PORT: actionsPort,
    METADATA_PORT: settings.metadataFetch ? metadataPort : undefined,
  }
  const owners = new Map<number | undefined, string>()
  // The embedded server may be running there.
  if (settings.databaseUrl === undefined) owners.set(settings.databasePort, 'DATABASE_PORT')
  const claim = async (port: number, setting: string): Promise<number> => {
    const owner = port === 0 ? undefined : owners.get(port)
    if (owner)
      throw new CommandError(`${owner} and ${setting} are both ${port}. Choose another port for one.`)
    const claimed = await claimPort(apiHost, port, setting)
    owners.set(claimed, setting)
    return claimed
  }
  const claimed = await claim(apiPort, 'API_PORT')
  for (const [setting, port] of Object.entries(ports)) if (port) await claim(port, setting)
  return claimed
}

/** A port that is free to listen on: `port`, or any if it is 0. Throws `CommandError` if it is in use. */
export async function claimPort(host: string, port: number, setting: string): Promise<number> {
  try {
    return await listenOnce(host, port)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EADDRINUSE')
      throw new CommandError(
        `Port ${port} on ${host} is in use by another program. Stop it, or choose another port: ` +
          `--${setting.toLowerCase().replaceAll('_', '-')} ${port + 1}`,
      )
    if (code === 'EACCES')
      throw new CommandError(
        `Port ${port} may not be used without privileges; choose one above 1023 (${setting}).`,
      )
    const atFault = settingAtFault(error, setting)
    throw new CommandError(`Cannot listen on ${host}:${port} (${atFault}): ${messageOf(error)}`)
  }
}

function listenOnce(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, host, () => {
      const bound = (server.address() as AddressInfo).port
      server.close(() => resolve(bound))
    })
  })
}
