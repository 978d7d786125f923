import type { MetricSamples } from '@shardwalk/observability'
import type { PreviewQuestion, PreviewReply } from './preview.ts'

/** Messages to the thread of previews. */
export type ToPreviewThread =
  | { readonly id: number; readonly question: PreviewQuestion }
  /** The answer is no longer needed. */
  | { readonly id: number; readonly left: true }

/** Messages from it; `ready` comes first, and once. */
export type FromPreviewThread =
  | 'ready'
  | { readonly id: number; readonly reply: PreviewReply }
  | { readonly id: number; readonly failure: PreviewFailure }
  | { readonly metrics: readonly MetricSamples[] }

/** An `HttpError` without its class, which threads cannot pass on. */
export interface PreviewFailure {
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
}
