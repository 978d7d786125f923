/** What may go wrong with one answer. */
export type QueryFault =
  | { readonly kind: 'drop' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** Sends the first `bytes` of the frame, then closes. */
  | { readonly kind: 'close'; readonly bytes?: number }
  | { readonly kind: 'bad-checksum' }
  /** Answers under an id that was never asked, then not at all. */
  | { readonly kind: 'unknown-id' }
  /** Answers twice. */
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** Answers with these bytes instead. */
  | { readonly kind: 'answer'; readonly bytes: Buffer }

/** Switches of a server for tests; every one is off by default and may be changed while it runs. */
export interface AdnlFaults {
  /** Decides per query; `index` counts the queries of the server from 0. `query` is `liteServer.query` as it came. */
  readonly onQuery?: (query: Buffer, index: number) => QueryFault | undefined
  /** Closes right after the hello. */
  readonly refuse?: boolean
  /** Accepts and then says nothing: no empty frame, no pong, no answer. */
  readonly mute?: boolean
  /** Pings stay unanswered. */
  readonly noPong?: boolean
  /** An empty keep-alive frame before every frame. */
  readonly emptyFrames?: boolean
  /** The empty frame of the hello waits and goes out in one segment with the first other frame. */
  readonly holdAcknowledgement?: boolean
  /** Everything leaves byte by byte. */
  readonly byteSegments?: boolean
}
