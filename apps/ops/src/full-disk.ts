import { freeBytes, freeFiles, isReadOnly } from '@shardwalk/embedded-postgres'
import type { Logger } from '@shardwalk/observability'

const LOG_EVERY_MS = 60_000

/** Logs that the disk of a folder is full, or read-only, while calls of `report` continue. */
export class FullDisk {
  private loggedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly folder: string,
    private readonly log: Logger,
  ) {}

  /** `error`: what failed, if something did. */
  async report(error?: unknown): Promise<void> {
    const now = performance.now()
    if (now - this.loggedAt < LOG_EVERY_MS) return
    this.loggedAt = now
    const { folder, log } = this
    if (isReadOnly(error))
      return log.error('the file system is read-only', {
        folder,
        next: 'goes on by itself once it can be written; the log of the system says why it cannot',
      })
    const free = await freeBytes(folder)
    log.error('no space left on device', {
      folder,
      free_mb: free === undefined ? undefined : Math.floor(free / 2 ** 20),
      free_files: await freeFiles(folder),
      next: 'goes on by itself once some is freed',
    })
  }
}
