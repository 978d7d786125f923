import type { Dirent } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@shardwalk/embedded-postgres'
import pg from 'pg'
import { copyFolder } from './copy-folder.ts'
import { prepareDataDir } from './prepared-folder.ts'

/** Nothing needs to survive a crash of the machine. */
const SETTINGS = {
  fsync: 'off',
  shared_buffers: '32MB',
  // Files must not vanish while they are copied.
  autovacuum: 'off',
  wal_level: 'replica',
  wal_compression: 'off',
  wal_keep_size: '256MB',
  hot_standby_feedback: 'on',
}

/** A server with all tables that others can follow. `folder` must be accessible to every user. */
export async function startPrimary(folder: string, port?: number): Promise<EmbeddedPostgres> {
  await prepareDataDir(folder)
  return startEmbeddedPostgres({ dataDir: folder, settings: SETTINGS, ...(port !== undefined && { port }) })
}

/** Of these only the folders are copied, as `pg_basebackup` does. */
const EMPTY = ['pg_wal', 'pg_replslot', 'pg_dynshmem', 'pg_notify', 'pg_serial', 'pg_snapshots']
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts', 'pg_stat_tmp', 'pg_subtrans']

/** Copies a running primary, so that `startStandby` can follow it. */
export async function copyPrimary(primary: EmbeddedPostgres, from: string, to: string): Promise<void> {
  const [source, target] = [join(from, 'postgres'), join(to, 'postgres')]
  await mkdir(to, { recursive: true, mode: 0o755 })
  const client = new pg.Client({ connectionString: primary.url })
  await client.connect()
  try {
    await client.query("select pg_backup_start('standby', true)")
    await mkdir(target)
    for (const entry of await readdir(source, { withFileTypes: true })) await copyEntry(entry, target)
    const { rows } = await client.query<{ labelfile: string }>(
      'select labelfile from pg_backup_stop(wait_for_archive => false)',
    )
    await writeFile(join(target, 'backup_label'), rows[0]!.labelfile)
  } finally {
    await client.end()
  }
  for (const folder of ['pg_subtrans', 'pg_stat_tmp'])
    await mkdir(join(target, folder), { recursive: true, mode: 0o700 })
  await writeFile(join(target, 'standby.signal'), '')
  await copyFile(join(from, 'postgres-password'), join(to, 'postgres-password'))
  await chmod(target, 0o700)
}

/** Starts a server on a copy; it follows the primary until that is gone, and again when it is back. */
export function startStandby(primary: EmbeddedPostgres, folder: string): Promise<EmbeddedPostgres> {
  const { hostname, port, username, password } = new URL(primary.url)
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password}`
  const settings = { ...SETTINGS, primary_conninfo: conninfo, wal_retrieve_retry_interval: '200ms' }
  return startEmbeddedPostgres({ dataDir: folder, settings })
}

async function copyEntry(entry: Dirent, target: string): Promise<void> {
  const { name } = entry
  const [from, to] = [join(entry.parentPath, name), join(target, name)]
  if (LEFT_OUT.includes(name)) return
  if (!entry.isDirectory()) return copyFile(from, to)
  await mkdir(to, { mode: 0o700 })
  if (!EMPTY.includes(name)) await copyFolder(from, to)
}
