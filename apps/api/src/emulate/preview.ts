import type { Previewer as AnyPreviewer } from '@shardwalk/emulation'
import type { RequestSettings } from '../http/request-settings.ts'

/** A request for a preview, as threads pass it on. */
export interface PreviewQuestion {
  readonly kind: 'trace' | 'tonConnect'
  /** As it was posted. */
  readonly body: Uint8Array
  /** Clients take turns. */
  readonly client: string
  readonly settings: RequestSettings
  /** In which the reply is to be compressed if it is made elsewhere; undefined: in none. */
  readonly encoding?: PreviewEncoding | undefined
}

/** Encodings that a thread can compress a reply with. */
export type PreviewEncoding = 'br' | 'gzip'

/** A reply of `/api/emulate`, ready to be sent. */
export interface PreviewReply {
  /** JSON; bytes, if it is compressed. */
  readonly body: string | Uint8Array
  readonly encoding?: PreviewEncoding | undefined
  /** For `Server-Timing`. */
  readonly timing: string
}

/** Rejects with what `emulationFailure` understands. */
export type Previewer = AnyPreviewer<PreviewQuestion, PreviewReply>
