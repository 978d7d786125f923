import { freeBytes } from '@shardwalk/embedded-postgres'
import type { Logger } from '@shardwalk/observability'

const LOG_EVERY_MS = 60_000

/** Logs that the disk of a folder is full, while calls of `report` continue. */
export class FullDisk {
  private loggedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly folder: string,
    private readonly log: Logger,
  ) {}

  async report(): Promise<void> {
    const now = performance.now()
    if (now - this.loggedAt < LOG_EVERY_MS) return
    this.loggedAt = now
    const free = await freeBytes(this.folder)
    this.log.error('no space left on device', {
      folder: this.folder,
      free_mb: free === undefined ? undefined : Math.floor(free / 2 ** 20),
      next: 'goes on by itself once some is freed',
    })
  }
}
