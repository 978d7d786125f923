import { randomBytes } from 'node:crypto'
import { createDb, type DatabaseHandle } from '@shardwalk/db'
import { createFrom, MIGRATED, type Template } from './template.ts'
import { acquireServer, onDatabase, withDatabase } from './test-server.ts'

/** A database of its own on the server of this run, of this process or of TEST_DATABASE_URL. */
export interface ScratchDatabase extends DatabaseHandle {
  readonly url: string
  /** Drops the database. */
  close(): Promise<void>
}

export interface ScratchOptions {
  /** Whether to run all migrations. Default true. */
  readonly migrated?: boolean
  /** What the database contains instead of empty tables. */
  readonly template?: Template
  /** Maximum number of connections of the pool. Default 6. */
  readonly max?: number
}

/**
 * For one test file: `beforeAll(async () => { scratch = await scratchDatabase() })`, `afterAll(() =>
 * scratch.close())`.
 */
export async function scratchDatabase(options: ScratchOptions = {}): Promise<ScratchDatabase> {
  const server = await acquireServer()
  const name = `scratch_${randomBytes(6).toString('hex')}`
  const template = options.template ?? ((options.migrated ?? true) ? MIGRATED : undefined)
  await createFrom(server, { name, template })
  const url = withDatabase(server.url, name)
  const handle = createDb({ url, max: options.max ?? 6, applicationName: 'test' })
  const close = async () => {
    await handle.close()
    await onDatabase(server.url, (client) => client.query(`drop database if exists ${name} with (force)`))
    await server.release()
  }
  return { ...handle, url, close }
}
