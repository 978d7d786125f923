import type { Readiness } from '@shardwalk/observability'
import type { Ingest } from './ingest.ts'

/**
 * A head that is not indexed at all, or only from far behind, for this long means that the process is not
 * ready.
 */
const NOT_READY_AFTER_MS = 30_000

/** What `/readyz` of the ingest process says. */
export const ingestReadiness = ({ state, progress, prover }: Ingest): Readiness => ({
  ok: state.head > 0 && Math.max(state.stalledMs(), state.behindMs()) < NOT_READY_AFTER_MS,
  behind_ms: Math.round(state.behindMs()),
  ...progress.report(),
  proved: prover?.proved ?? null,
  unprovable: prover?.unprovable,
})
