import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { type Db, readGrowth } from '@shardwalk/db'
import type { Status } from '@shardwalk/pages'

/** Free space of `dataDir`; how long it lasts is known if the embedded database is in it. */
export async function readDisk(db: Db, dataDir: string | undefined): Promise<Status['disk']> {
  const info = dataDir === undefined ? undefined : await statfs(dataDir).catch(() => undefined)
  const free = info && info.bavail * info.bsize
  const growth = await readGrowth(db)
  const growsHere = dataDir !== undefined && existsSync(join(dataDir, 'postgres'))
  return {
    free_bytes: free ?? null,
    bytes_per_day: growth ?? null,
    days_left: growsHere && free !== undefined && growth ? free / growth : null,
  }
}
