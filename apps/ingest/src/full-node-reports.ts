import { loopUntilAborted, sleep } from '@shardwalk/concurrency'
import { type DatabaseHandle, type FullNodesJson, writeFullNodeReport } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import type { FullNodeSource } from '@shardwalk/sources'
import type { Part } from './part.ts'

type Reporting = Pick<FullNodeSource, 'report' | 'peers'>

export interface FullNodeReportsOptions {
  readonly database: DatabaseHandle
  readonly fullNodes: Reporting
  readonly log: Logger
}

const EVERY_MS = 5_000
/** Nodes of a report. */
const LISTED = 20

/** Tells other processes what this one knows of full nodes. */
export class FullNodeReports implements Part {
  private before: { readonly bytes: Readonly<Record<'in' | 'out', number>>; readonly at: number }

  constructor(private readonly options: FullNodeReportsOptions) {
    this.before = { bytes: options.fullNodes.report().bytes, at: performance.now() }
  }

  run(signal: AbortSignal): Promise<void> {
    const { log, database, fullNodes } = this.options
    const step = async () => {
      await sleep(EVERY_MS, signal)
      if (signal.aborted) return
      const id = Buffer.from(fullNodes.report().id, 'hex')
      await writeFullNodeReport(database.db, id, this.next(performance.now()))
    }
    const onError = (error: unknown) => log.warn('what is known of full nodes was not reported', { error })
    return loopUntilAborted(step, { signal, onError, maxDelayMs: 5_000 })
  }

  /** With rates since the last one. `at`: monotonic milliseconds. */
  next(at: number): FullNodesJson {
    const { before } = this
    const report = this.options.fullNodes.report()
    const { bytes, dhtServers, clockOffsetSeconds = null } = report
    this.before = { bytes, at }
    const perSecond = (way: 'in' | 'out') =>
      Math.round((bytes[way] - before.bytes[way]) / Math.max(0.001, (at - before.at) / 1_000))
    return {
      bytes_in_per_second: perSecond('in'),
      bytes_out_per_second: perSecond('out'),
      dht_servers: dhtServers,
      clock_offset_seconds: clockOffsetSeconds,
      overlays: (['masterchain', 'basechain'] as const).map((name) => ({
        name,
        members: report.members[name],
        ...report.peers[name],
        broadcasts: report.broadcasts[name].complete,
      })),
      nodes: this.options.fullNodes.peers().slice(0, LISTED).map(toJson),
    }
  }
}

const toJson = ({
  host,
  port,
  bytesPerSecond,
  meanMs,
  ...node
}: ReturnType<Reporting['peers']>[number]): FullNodesJson['nodes'][number] => ({
  ...node,
  address: `${host}:${port}`,
  bytes_per_second: bytesPerSecond === undefined ? null : Math.round(bytesPerSecond),
  mean_ms: meanMs === undefined ? null : Math.round(meanMs),
})
