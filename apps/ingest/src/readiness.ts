import type { Readiness } from '@shardwalk/observability'
import type { Ingest } from './ingest.ts'

/** The process is not ready when the head has not been indexed, or only from far behind, for this long. */
const NOT_READY_AFTER_MS = 30_000

/** Contents of `/readyz` of the ingest process. */
export const ingestReadiness = ({ state, progress, prover }: Ingest): Readiness => ({
  ok: state.head > 0 && Math.max(state.stalledMs(), state.behindMs()) < NOT_READY_AFTER_MS,
  behind_ms: Math.round(state.behindMs()),
  ...progress.report(),
  proved: prover?.proved ?? null,
  unprovable: prover?.unprovable,
})
