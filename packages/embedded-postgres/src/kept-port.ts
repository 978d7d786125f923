import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { replaceFile, sleep } from '@shardwalk/concurrency'

/**
 * Below the ports that systems hand out to outgoing connections (Linux from 32768, others from 49152), so
 * that no client takes the port while the server is stopped.
 */
const FIRST_PORT = 20_000
const PORTS = 12_000

const portFile = (dataDir: string): string => join(dataDir, 'postgres-port')

/**
 * The port of the server on this folder: the one it had last, else one derived from the path of the folder.
 * A folder keeps its port when it is moved.
 */
export async function keptPort(host: string, dataDir: string): Promise<number> {
  const kept = Number(await readFile(portFile(dataDir), 'utf8').catch(() => ''))
  return Number.isInteger(kept) && kept > 0 && kept < 65_536 ? kept : otherPort(host, dataDir)
}

/** A port derived from the path of the folder that is free now. `avoid`: one that something else uses. */
export async function otherPort(host: string, dataDir: string, avoid?: number): Promise<number> {
  const start = createHash('sha256').update(dataDir).digest().readUInt32BE() % PORTS
  for (let at = 0; at < PORTS; at++) {
    const port = FIRST_PORT + ((start + at) % PORTS)
    if (port !== avoid && (await isFree(host, port))) return port
  }
  throw new Error(`no port from ${FIRST_PORT} to ${FIRST_PORT + PORTS - 1} is free on ${host}`)
}

/**
 * Waits for a port that is in use: to start a server only to learn that costs as much as a start. False: it
 * was not free before `deadline`, of `performance.now`.
 */
export async function untilFree(host: string, port: number, deadline: number): Promise<boolean> {
  do {
    await sleep(250)
    if (performance.now() >= deadline) return false
  } while (!(await isFree(host, port)))
  return true
}

/** Writes the port down for the next start. */
export async function keepPort(dataDir: string, port: number): Promise<void> {
  const file = portFile(dataDir)
  if ((await readFile(file, 'utf8').catch(() => '')) === `${port}\n`) return
  await replaceFile(file, `${port}\n`)
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}
