/** Reasons why a document could not be fetched. Also a label of metrics. */
export type FetchFault =
  | 'blocked'
  | 'unsupported'
  | 'dns'
  | 'timeout'
  | 'network'
  /** Not asked, because the host failed too often before. */
  | 'resting'
  | 'status'
  | 'gone'
  | 'redirects'
  | 'too_big'
  | 'parse'

/** Faults that another attempt a minute later would not change. */
const LASTING: ReadonlySet<FetchFault> = new Set(['blocked', 'unsupported', 'gone', 'too_big', 'parse'])

/** The message never contains response bodies, addresses or texts of a resolver. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
  readonly fault: FetchFault

  constructor(fault: FetchFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.fault = fault
  }

  get isLasting(): boolean {
    return LASTING.has(this.fault)
  }
}

/** The host failed too often and is not asked for a while. */
export class HostResting extends FetchError {
  constructor(readonly retryAfterMs: number) {
    super('resting', 'the host failed too often before')
  }
}
