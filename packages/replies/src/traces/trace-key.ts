import type { TraceRow } from '@shardwalk/queries'

/** What events know a trace by: the normalised hash of its message, or what comes closest. Base64. */
export const traceKey = ({ external_hash_norm, external_hash, trace_id }: TraceRow): string =>
  (external_hash_norm ?? external_hash ?? trace_id).toString('base64')
