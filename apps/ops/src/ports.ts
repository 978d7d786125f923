import { type AddressInfo, createServer } from 'node:net'
import { CommandError, messageOf } from './outcome.ts'

/** A port that can be listened on: `port` itself, or a free one when it is 0. Throws `CommandError` when it is taken. */
export async function claimPort(host: string, port: number, setting: string): Promise<number> {
  try {
    return await listenOnce(host, port)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EADDRINUSE')
      throw new CommandError(
        `Port ${port} on ${host} is taken by another program. Stop it, or choose another port: --${setting.toLowerCase().replaceAll('_', '-')} ${port + 1}`,
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
