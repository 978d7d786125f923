import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scratchDatabase } from '@shardwalk/testkit'
import type { QueueStore } from '../src/index.ts'

/** A store of its own for one test file. */
export interface TestStore {
  readonly store: QueueStore
  close(): Promise<void>
}

export async function postgresStore(): Promise<TestStore> {
  const scratch = await scratchDatabase({ migrated: false })
  return { store: { databaseUrl: scratch.url }, close: () => scratch.close() }
}

export const hasRedisServer = (): boolean => spawnSync('redis-server', ['--version']).status === 0

/** A redis-server process on a free port, without persistence. */
export async function redisStore(): Promise<TestStore & { readonly pid: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'shardwalk-redis-'))
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.once('exit', () => reject(new Error('redis-server did not start')))
    server.stdout.on('data', (chunk) => /ready to accept connections/i.test(String(chunk)) && resolve())
  })
  const close = async () => {
    const gone = new Promise((resolve) => server.once('exit', resolve))
    server.kill('SIGKILL')
    await gone
    await rm(folder, { recursive: true, force: true })
  }
  return { store: { redisUrl: `redis://127.0.0.1:${port}` }, pid: server.pid!, close }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
