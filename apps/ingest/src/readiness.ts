import type { Readiness } from '@shardwalk/observability'
import type { Ingest } from './ingest.ts'

/** A head that is known and not indexed for this long means that the process is not ready. */
const NOT_READY_AFTER_MS = 30_000

/** What `/readyz` of the ingest process says. */
export const ingestReadiness = ({ state, progress, prover }: Ingest): Readiness => ({
  ok: state.head > 0 && state.stalledMs() < NOT_READY_AFTER_MS,
  ...progress.report(),
  proved: prover?.proved ?? null,
  unprovable: prover?.unprovable,
})
