import type { TraceRow } from '@shardwalk/queries'

/** What events know a trace by: the normalised hash of its message, or what comes closest. Base64. */
export const traceKey = ({ external_hash_norm, external_hash, trace_id }: TraceRow): string =>
  (external_hash_norm ?? external_hash ?? trace_id).toString('base64')

/** Hash of its external message as it was sent, if that is not the key. Base64. */
export const sentHashOf = ({
  external_hash_norm: norm,
  external_hash: sent,
}: TraceRow): string | undefined => (norm && sent && !norm.equals(sent) ? sent.toString('base64') : undefined)
