import { isUtf8 } from 'node:buffer'
import { untilAborted, withTimeLimit } from '@shardwalk/concurrency'
import { FetchError } from './fetch-error.ts'
import { type GuardOptions, sendGuarded } from './guarded-request.ts'
import { readBody } from './read-body.ts'
import { systemResolver, untrustedResolver } from './resolve-host.ts'
import { checkUrl } from './url-policy.ts'

export interface FetchOptions extends GuardOptions {
  /** Limit for everything, including redirects. Default 10,000. */
  readonly timeoutMs?: number
  /** Limit in bytes, before and after decompression. Default 1 MiB. */
  readonly maxBytes?: number
  /** Value of the Accept header. Default: JSON. */
  readonly accept?: string
  readonly signal?: AbortSignal
  /**
   * URLs that begin with this are exempt from the address policy: a gateway chosen by the operator. Redirects
   * elsewhere are checked, on the same host too.
   */
  readonly trustedRoot?: string
}

/** A document as it was received, at most `maxBytes` long. */
export interface Fetched {
  readonly body: Buffer
  /** URL after redirects. */
  readonly url: string
}

/** Header with which hosts see requests for documents. */
export const USER_AGENT = 'Shardwalk/0.1 (token metadata)'
const MAX_REDIRECTS = 3

/**
 * Fetches an untrusted URL. Scheme, port and all addresses of the host are checked on every hop,
 * and the connection goes to a checked address without resolving the name again. Sends no cookies or referrer
 * and ignores proxy settings of the environment. Throws `FetchError`.
 */
export function fetchUrl(text: string, options: FetchOptions = {}): Promise<Fetched> {
  return withTimeLimit(options.timeoutMs ?? 10_000, options.signal, async (signal) => {
    try {
      return await untilAborted(followRedirects(checkUrl(text), options, signal), signal)
    } catch (error) {
      if (error instanceof FetchError) throw error
      if (signal.aborted) throw new FetchError('timeout', 'no answer in time', { cause: error })
      throw new FetchError('network', 'the connection failed', { cause: error })
    }
  })
}

async function followRedirects(first: URL, options: FetchOptions, signal: AbortSignal): Promise<Fetched> {
  let url = first
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const isTrusted = options.trustedRoot !== undefined && url.href.startsWith(options.trustedRoot)
    const isAllowed = isTrusted ? () => true : options.isAllowed
    const resolve = options.resolve ?? (isTrusted ? systemResolver : untrustedResolver())
    const reply = await sendGuarded(url, getRequest(options), { ...options, isAllowed, resolve, signal })
    const status = reply.statusCode ?? 0
    if (status === 200) return { body: await readBody(reply, options.maxBytes ?? 1024 * 1024), url: url.href }
    const location = reply.headers.location
    reply.destroy()
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) throw statusError(status)
    url = checkUrl(headerText(location), url)
  }
  throw new FetchError('redirects', 'too many redirects')
}

/** Node.js reads headers as Latin-1, but servers send the letters of URLs in UTF-8. */
function headerText(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}

const getRequest = ({ accept }: FetchOptions) => ({
  method: 'GET' as const,
  headers: {
    accept: accept ?? 'application/json',
    'accept-encoding': 'gzip, deflate, br',
    'user-agent': USER_AGENT,
  },
})

const statusError = (status: number): FetchError =>
  new FetchError([400, 401, 403, 404, 405, 410, 451].includes(status) ? 'gone' : 'status', `status ${status}`)
