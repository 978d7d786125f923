import { type Metrics, noMetrics } from '@shardwalk/observability'
import { isDataUrl, readDataUrl } from './data-url.ts'
import { type JsonObject, parseDocument } from './document.ts'
import { type Fetched, type FetchOptions, fetchUrl } from './fetch-document.ts'
import { FetchError, type FetchFault, HostResting } from './fetch-error.ts'
import { HostLimits } from './host-limits.ts'
import { DEFAULT_GATEWAYS, gatewayRoot, gatewayUrl, isIpfs } from './ipfs.ts'
import { contentUrl, type MetadataRecord, makeRecord, type RecordInput } from './record.ts'
import { checkUrl } from './url-policy.ts'

export type TokenInput = Omit<RecordInput, 'offChain'> & {
  /** A reader waits for the result. */
  readonly isUrgent?: boolean
}

/** What came of it. `isLasting`: trying again soon does not help. */
export type FetchOutcome =
  | { readonly state: 'ok'; readonly record: MetadataRecord }
  /** `fallback`: the record from the chain alone, if that is sufficient. */
  | {
      readonly state: 'failed'
      readonly fault: FetchFault | 'not_enough'
      readonly isLasting: boolean
      /** The host is paused until then. */
      readonly retryAfterMs?: number
      readonly fallback: MetadataRecord | undefined
    }
  /** The host is at its limit; does not count as an attempt. */
  | { readonly state: 'busy'; readonly retryAfterMs: number }

export interface FetcherOptions {
  readonly fetch?: FetchOptions
  /** Base URLs in order of preference. Their hosts may have any address, because the operator chose them. */
  readonly gateways?: readonly string[]
  readonly limits?: HostLimits
  readonly metrics?: Metrics
}

/** Bytes and milliseconds; see `FetchOptions`. */
export type DownloadLimits = Pick<FetchOptions, 'maxBytes' | 'timeoutMs' | 'firstByteTimeoutMs' | 'accept'>

/** The host is at its limit. */
export class HostBusy extends Error {
  constructor(readonly retryAfterMs: number) {
    super('the host is busy')
  }
}

type Asking = FetchOptions & { readonly isUrgent?: boolean }

/** Builds records of tokens, fetching the documents to which their content refers. */
export class MetadataFetcher {
  private readonly options: FetcherOptions
  private readonly gateways: readonly string[]
  private readonly limits: HostLimits
  private readonly fetches
  private readonly seconds

  constructor(options: FetcherOptions = {}) {
    this.options = options
    this.gateways = options.gateways ?? DEFAULT_GATEWAYS
    this.limits = options.limits ?? new HostLimits()
    const metrics = options.metrics ?? noMetrics
    this.fetches = metrics.counter('metadata_fetches_total', 'Documents of tokens requested', [
      'scheme',
      'outcome',
    ])
    this.seconds = metrics.histogram('metadata_fetch_seconds', 'Time to fetch one document', ['scheme'])
  }

  /** Never throws because of remote content or behaviour. */
  async run(token: TokenInput, signal?: AbortSignal): Promise<FetchOutcome> {
    const url = contentUrl(token.content)
    if (url === undefined) {
      const record = makeRecord(token)
      return record
        ? { state: 'ok', record }
        : { state: 'failed', fault: 'not_enough', isLasting: true, fallback: undefined }
    }
    try {
      const offChain = await this.measured(url, token, signal)
      return { state: 'ok', record: makeRecord({ ...token, offChain }) as MetadataRecord }
    } catch (error) {
      if (error instanceof HostBusy) return { state: 'busy', retryAfterMs: error.retryAfterMs }
      if (!(error instanceof FetchError)) throw error
      return {
        state: 'failed',
        fault: error.fault,
        isLasting: error.isLasting,
        fallback: makeRecord(token),
        ...(error instanceof HostResting && { retryAfterMs: error.retryAfterMs }),
      }
    }
  }

  /**
   * Downloads a file to which a token refers. Throws `FetchError`, of which `HostResting` says when to ask
   * again, and `HostBusy` if the host is at its limit. `limits` are those of `fetchUrl`; files take longer
   * than documents.
   */
  async download(url: string, limits: DownloadLimits, signal?: AbortSignal): Promise<Buffer> {
    if (isDataUrl(url)) return readDataUrl(url)
    return await this.read(url, { ...limits, ...(signal && { signal }) }, ({ body }) => body)
  }

  private async measured(
    url: string,
    token: TokenInput,
    signal: AbortSignal | undefined,
  ): Promise<{ document: JsonObject; url: string }> {
    const scheme = /^(https?|ipfs|data):/i.exec(url)?.[1]?.toLowerCase() ?? 'other'
    const start = performance.now()
    const count = (outcome: string) => this.fetches.inc({ scheme, outcome })
    try {
      const document = await this.load(url, { isUrgent: token.isUrgent === true, ...(signal && { signal }) })
      count('ok')
      return document
    } catch (error) {
      count(error instanceof FetchError ? error.fault : 'busy')
      throw error
    } finally {
      this.seconds.observe({ scheme }, (performance.now() - start) / 1000)
    }
  }

  private async load(url: string, options: Asking): Promise<{ document: JsonObject; url: string }> {
    if (isDataUrl(url)) return { document: parseDocument(readDataUrl(url)), url }
    const read = (fetched: Fetched) => ({ document: parseDocument(fetched.body), url: fetched.url })
    const loaded = await this.read(url, options, read)
    return isIpfs(url) ? { ...loaded, url } : loaded
  }

  private read<T>(url: string, options: Asking, read: (fetched: Fetched) => T): Promise<T> {
    return isIpfs(url) ? this.fromGateways(url, options, read) : this.fetch(url, options, read)
  }

  /**
   * Tries the gateways in order. If one returns something that is not a document, the others are not tried.
   * While one is at its limit or paused, that the others fail is not the end. What one gateway serves counts
   * as a failure of those that were asked for it before.
   */
  private async fromGateways<T>(url: string, options: Asking, read: (fetched: Fetched) => T): Promise<T> {
    let failure: unknown = new FetchError('unsupported', 'no IPFS gateway is configured')
    const unclear: string[] = []
    for (const gateway of this.gateways) {
      const address = gatewayUrl(url, gateway)
      try {
        const found = await this.fetch(address, { ...options, trustedRoot: gatewayRoot(gateway) }, read)
        for (const host of unclear) this.limits.blame(host)
        return found
      } catch (error) {
        if (error instanceof FetchError && (error.fault === 'parse' || error.fault === 'too_big')) throw error
        if (isUnclear(error)) unclear.push(checkUrl(address).host)
        if (failure instanceof HostBusy || (failure instanceof HostResting && !(error instanceof HostBusy)))
          continue
        // A gateway that refuses now may serve later.
        failure =
          error instanceof FetchError && error.isLasting ? new FetchError('status', error.message) : error
      }
    }
    throw failure
  }

  private async fetch<T>(
    url: string,
    { isUrgent, ...options }: Asking,
    read: (fetched: Fetched) => T,
  ): Promise<T> {
    const slot = await this.limits.enter(checkUrl(url).host, { isUrgent: isUrgent === true })
    if ('retryAfterMs' in slot)
      throw slot.isResting ? new HostResting(slot.retryAfterMs) : new HostBusy(slot.retryAfterMs)
    const isGateway = options.trustedRoot !== undefined
    const faults = isGateway ? GATEWAY_FAULTS : HOST_FAULTS
    let result: 'ok' | 'failed' | 'unclear' = 'ok'
    try {
      return read(await fetchUrl(url, { ...this.options.fetch, ...options }))
    } catch (error) {
      if (error instanceof FetchError && faults.has(error.fault) && !options.signal?.aborted)
        result = 'failed'
      else if (isGateway && isUnclear(error)) result = 'unclear'
      throw error
    } finally {
      slot.release(result)
    }
  }
}

/** Faults of the host rather than of one document. */
const HOST_FAULTS: ReadonlySet<FetchFault> = new Set(['dns', 'timeout', 'network', 'status'])
const GATEWAY_FAULTS: ReadonlySet<FetchFault> = new Set(['dns', 'network'])
/** Even a working gateway answers late, or with an error, for a document that no node has. */
const UNCLEAR: ReadonlySet<FetchFault> = new Set(['timeout', 'status', 'gone', 'redirects', 'blocked'])
const isUnclear = (error: unknown): boolean => error instanceof FetchError && UNCLEAR.has(error.fault)
