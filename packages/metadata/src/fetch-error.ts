/** Why a document could not be had. Also the label of metrics. */
export type FetchFault =
  | 'blocked'
  | 'unsupported'
  | 'dns'
  | 'timeout'
  | 'network'
  | 'status'
  | 'gone'
  | 'redirects'
  | 'too_big'
  | 'parse'

/** What another attempt in a minute would not change. */
const LASTING: ReadonlySet<FetchFault> = new Set(['blocked', 'unsupported', 'gone', 'too_big', 'parse'])

/** The message is ours: it never repeats bodies, addresses or texts of a resolver. */
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
