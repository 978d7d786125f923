import { lookup } from 'node:dns/promises'
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { untilAborted } from '@shardwalk/concurrency'
import { type AddressPolicy, isPublicAddress } from './address-policy.ts'
import { FetchError } from './fetch-error.ts'
import { readBody } from './read-body.ts'
import { checkUrl, hostOf } from './url-policy.ts'

/** Returns all addresses of a host name. */
export type Resolver = (host: string) => Promise<readonly string[]>

export interface FetchOptions {
  /** Default: public unicast addresses only. */
  readonly isAllowed?: AddressPolicy
  readonly resolve?: Resolver
  /** Limit for everything, including redirects. Default 10,000. */
  readonly timeoutMs?: number
  /** Limit for connecting, default 3,000, and until the response begins, default 5,000. */
  readonly connectTimeoutMs?: number
  readonly firstByteTimeoutMs?: number
  /** Limit in bytes, before and after decompression. Default 1 MiB. */
  readonly maxBytes?: number
  readonly maxRedirects?: number
  readonly userAgent?: string
  /** Value of the Accept header. Default: JSON. */
  readonly accept?: string
  readonly signal?: AbortSignal
  /**
   * URLs that begin with this are exempt from the address policy: a gateway chosen by the operator. Redirects
   * elsewhere are checked, on the same host too.
   */
  readonly trustedRoot?: string
}

export interface Fetched {
  readonly body: Buffer
  /** URL after redirects. */
  readonly url: string
}

export const USER_AGENT = 'Shardwalk/0.1 (token metadata)'
const systemResolver: Resolver = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map((one) => one.address)

/**
 * Fetches a URL chosen by a stranger. Scheme, port and all addresses of the host are checked on every hop,
 * and the connection goes to a checked address without resolving the name again. Sends no cookies or referrer
 * and ignores proxy settings of the environment. Throws `FetchError`.
 */
export async function fetchUrl(text: string, options: FetchOptions = {}): Promise<Fetched> {
  const over = new AbortController()
  const { signal } = over
  const stop = () => over.abort(options.signal?.reason)
  const timer = setTimeout(() => over.abort(), options.timeoutMs ?? 10_000)
  options.signal?.addEventListener('abort', stop, { once: true })
  if (options.signal?.aborted) stop()
  try {
    return await untilAborted(followRedirects(checkUrl(text), options, signal), signal)
  } catch (error) {
    if (error instanceof FetchError) throw error
    if (signal.aborted) throw new FetchError('timeout', 'no answer in time', { cause: error })
    throw new FetchError('network', 'the connection failed', { cause: error })
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', stop)
    // Whatever still runs is of no use any more.
    over.abort()
  }
}

async function followRedirects(first: URL, options: FetchOptions, signal: AbortSignal): Promise<Fetched> {
  let url = first
  for (let hop = 0; hop <= (options.maxRedirects ?? 3); hop++) {
    const address = await checkedAddress(url, options, signal)
    const reply = await send(url, address, options, signal)
    const status = reply.statusCode ?? 0
    if (status === 200) return { body: await readBody(reply, options.maxBytes ?? 1024 * 1024), url: url.href }
    const location = reply.headers.location
    reply.destroy()
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) throw statusError(status)
    url = checkUrl(location, url)
  }
  throw new FetchError('redirects', 'too many redirects')
}

const statusError = (status: number): FetchError =>
  new FetchError([400, 401, 403, 404, 405, 410, 451].includes(status) ? 'gone' : 'status', `status ${status}`)

/**
 * One address of the host. Throws if any is not allowed, so that the host cannot influence which one is used.
 */
async function checkedAddress(url: URL, options: FetchOptions, signal: AbortSignal): Promise<string> {
  const host = hostOf(url)
  const addresses = isIP(host) ? [host] : await resolveHost(host, options.resolve ?? systemResolver, signal)
  const [first] = addresses
  if (first === undefined) throw new FetchError('dns', 'the host has no address')
  if (options.trustedRoot !== undefined && url.href.startsWith(options.trustedRoot)) return first
  const isAllowed = options.isAllowed ?? isPublicAddress
  if (!addresses.every((address) => isIP(address) !== 0 && isAllowed(address)))
    throw new FetchError('blocked', 'the host is not a public one')
  return addresses.find((address) => isIP(address) === 4) ?? first
}

async function resolveHost(host: string, resolve: Resolver, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await untilAborted(resolve(host), signal)
  } catch (error) {
    if (signal.aborted) throw error
    throw new FetchError('dns', 'the host name could not be resolved', { cause: error })
  }
}

/** Resolves when the response headers have arrived. */
function send(
  url: URL,
  address: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:'
  const host = hostOf(url)
  const request: RequestOptions & { servername?: string } = {
    host: address,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    method: 'GET',
    // Use a new connection: no shared sockets, and no agent with settings of the environment.
    agent: false,
    signal,
    maxHeaderSize: 16_384,
    headers: {
      host: url.host,
      accept: options.accept ?? 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': options.userAgent ?? USER_AGENT,
      connection: 'close',
    },
    // The certificate is checked against the requested name, not the address.
    ...(secure && { servername: isIP(host) ? '' : host }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = secure ? requestHttps(request, resolve) : requestHttp(request, resolve)
    const late = () => outgoing.destroy(new FetchError('timeout', 'no answer in time'))
    const connecting = setTimeout(late, options.connectTimeoutMs ?? 3_000)
    const waiting = setTimeout(late, options.firstByteTimeoutMs ?? 5_000)
    outgoing.once('socket', (socket) =>
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        clearTimeout(connecting)
      }),
    )
    outgoing.once('response', () => clearTimeout(waiting))
    outgoing.once('close', () => {
      clearTimeout(connecting)
      clearTimeout(waiting)
      // Has no effect after an answer or an error.
      reject(new FetchError('network', 'the connection was closed without an answer'))
    })
    // Without a listener Node destroys the connection and reports nothing.
    outgoing.once('upgrade', (_reply, socket) => {
      socket.destroy()
      reject(statusError(101))
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}
