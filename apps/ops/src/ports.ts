import { type AddressInfo, createServer } from 'node:net'
import { CommandError, messageOf } from './outcome.ts'

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
    throw new CommandError(`Cannot listen on ${host}:${port} (${setting}): ${messageOf(error)}`)
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
