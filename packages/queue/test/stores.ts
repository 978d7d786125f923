import { scratchDatabase, startRedis } from '@shardwalk/testkit'
import type { QueueStore } from '../src/index.ts'

/** A separate store for one test file. */
export interface TestStore {
  readonly store: QueueStore
  close(): Promise<void>
}

export async function postgresStore(): Promise<TestStore> {
  const scratch = await scratchDatabase({ migrated: false })
  return { store: { databaseUrl: scratch.url }, close: () => scratch.close() }
}

export async function redisStore(): Promise<TestStore> {
  const server = await startRedis()
  return { store: { redisUrl: server.url }, close: () => server.close() }
}
