export { ApiError } from './errors.ts'
export type { AddressLike } from './query.ts'
export type { Finality, StreamEvent, TraceNode } from './streaming/events.ts'
export { StreamClient, type StreamOptions, type Subscription } from './streaming/stream-client.ts'
export type { ClientOptions } from './transport.ts'
export { V2Client } from './v2.ts'
export {
  type EndpointName,
  type ExportName,
  type ExportQuery,
  type ListName,
  type Page,
  type ReplyOf,
  type RowOf,
  V3Client,
} from './v3.ts'
