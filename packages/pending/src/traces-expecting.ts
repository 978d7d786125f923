import { COMPLETE_TRACE } from '@shardwalk/db'
import type { Logger } from '@shardwalk/observability'
import { pendingAmong, type TraceRow } from '@shardwalk/queries'
import type { Pending } from './pending.ts'

/** Those of the traces of which more is expected. None when that cannot be known. */
export async function tracesExpecting(
  { pending, log }: { readonly pending: Pick<Pending, 'db'> | undefined; readonly log: Logger },
  traces: readonly TraceRow[],
): Promise<ReadonlySet<TraceRow>> {
  const open = new Map<string, TraceRow>()
  for (const trace of traces) {
    const key = trace.external_hash_norm ?? trace.external_hash
    if (trace.state !== COMPLETE_TRACE && key) open.set(key.toString('latin1'), trace)
  }
  if (!pending || open.size === 0) return new Set()
  try {
    const found = await pendingAmong(
      pending.db,
      [...open.keys()].map((key) => Buffer.from(key, 'latin1')),
    )
    return new Set(found.map((key) => open.get(key.toString('latin1'))!))
  } catch (error) {
    log.debug('pending messages cannot be read', { error })
    return new Set()
  }
}
