import { existsSync } from 'node:fs'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createDb, migrate } from '@shardwalk/db'
import { startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import { copyFolder } from './copy-folder.ts'
import { acquireServer, onDatabase, preparedFolderOf, withDatabase } from './test-server.ts'

/** Any number; all processes of a run lock the same one. */
const LOCK = 7_245_302

/**
 * A data folder whose server has all tables in its database, and in every one that it creates: setting up
 * takes seconds, a copy does not. It is made once per run of the tests.
 */
export async function preparedFolder(): Promise<string> {
  const server = await acquireServer()
  try {
    const folder = preparedFolderOf(server.run ?? String(process.pid))
    await onDatabase(server.url, async (client) => {
      await client.query('select pg_advisory_lock($1)', [LOCK])
      if (existsSync(folder)) return
      const unfinished = `${folder}.unfinished`
      await rm(unfinished, { recursive: true, force: true })
      await prepare(unfinished)
      await rename(unfinished, folder)
    })
    return folder
  } finally {
    await server.release()
  }
}

async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o755)
  const settings = { fsync: 'off', wal_compression: 'off' }
  const server = await startEmbeddedPostgres({ dataDir: folder, settings })
  try {
    const template = createDb({ url: withDatabase(server.url, 'template1'), max: 2 })
    await migrate(template.db).finally(() => template.close())
    await onDatabase(withDatabase(server.url, 'postgres'), async (client) => {
      await client.query('drop database shardwalk')
      await client.query('create database shardwalk')
    })
  } finally {
    await server.stop()
  }
  // Every copy has a port of its own.
  await rm(join(folder, 'postgres-port'), { force: true })
}

/** Makes the data folder a copy of the prepared one, unless it has a server. */
export async function prepareDataDir(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, 'postgres'))) return
  const from = await preparedFolder()
  await mkdir(dataDir, { recursive: true })
  await copyFolder(from, dataDir)
}
