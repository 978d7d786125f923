/** A fault injected into one answer. */
export type QueryFault =
  | { readonly kind: 'drop' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** Sends the first `bytes` bytes of the frame, then closes. */
  | { readonly kind: 'close'; readonly bytes?: number }
  | { readonly kind: 'bad-checksum' }
  /** Answers with a query id that was never sent, and not at all to the real one. */
  | { readonly kind: 'unknown-id' }
  /** Answers twice. */
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** Sends these bytes as the answer. */
  | { readonly kind: 'answer'; readonly bytes: Buffer }

/** Faults of a test server; all are off by default and may be changed while it runs. */
export interface AdnlFaults {
  /**
   * Chooses a fault per query; `index` counts the server's queries from 0. `query` is the received
   * `liteServer.query`.
   */
  readonly onQuery?: (query: Buffer, index: number) => QueryFault | undefined
  /** Closes immediately after the handshake packet. */
  readonly refuse?: boolean
  /** Accepts connections but sends nothing: no empty frame, no pong, no answer. */
  readonly mute?: boolean
  /** Does not answer pings. */
  readonly noPong?: boolean
  /** Sends an empty keep-alive frame before every frame. */
  readonly emptyFrames?: boolean
  /** Delays the empty frame of the handshake and sends it in one segment with the next frame. */
  readonly holdAcknowledgement?: boolean
  /** Sends every byte in its own segment. */
  readonly byteSegments?: boolean
}
