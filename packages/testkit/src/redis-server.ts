import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithTests } from './end-with-tests.ts'
import { freePort } from './free-port.ts'

export const hasRedisServer = (): boolean => spawnSync('redis-server', ['--version']).status === 0

/** A redis-server process without persistence: killing it loses all data. */
export interface RedisServer {
  readonly url: string
  /** Kills the server and starts an empty one on the same port. */
  restart(): Promise<void>
  close(): Promise<void>
}

/**
 * Requires the program `redis-server`. `settings`: more of its arguments, of which the first one may be a
 * file of settings.
 */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-redis-'))
  const port = await freePort()
  let server = await launch(port, folder, settings)
  return {
    url: `redis://127.0.0.1:${port}`,
    restart: async () => {
      await kill(server)
      server = await launch(port, folder, settings)
    },
    close: async () => {
      await kill(server)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function launch(port: number, folder: string, settings: readonly string[]): Promise<ChildProcess> {
  const args = [
    ...settings,
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ]
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  endWithTests(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', () => reject(new Error('redis-server did not start')))
    server.stdout.on(
      'data',
      (chunk) => /ready to accept connections|sentinel id/i.test(String(chunk)) && resolve(),
    )
  })
  return server
}

async function kill(server: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGKILL')
  await gone
}
