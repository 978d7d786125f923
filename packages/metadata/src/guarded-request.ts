import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { untilAborted } from '@shardwalk/concurrency'
import { type AddressPolicy, isPublicAddress } from './address-policy.ts'
import { FetchError } from './fetch-error.ts'
import { type Resolver, systemResolver } from './resolve-host.ts'
import { hostOf } from './url-policy.ts'

export interface GuardOptions {
  /** Default: public unicast addresses only. */
  readonly isAllowed?: AddressPolicy | undefined
  /** Default: as the system does it. */
  readonly resolve?: Resolver | undefined
  /** Limit for connecting, default 3,000, and until the response begins, default 5,000. */
  readonly connectTimeoutMs?: number | undefined
  readonly firstByteTimeoutMs?: number | undefined
}

/** What is sent; `host` and `connection` are added to the headers. */
export interface GuardedRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer
}

/**
 * Sends one request to a URL chosen by a stranger (`checkUrl`), to an address that the policy allows, without
 * resolving the name again, and without cookies, shared sockets or proxies of the environment. Redirects are
 * not followed. Resolves when the response headers have arrived. Throws `FetchError` and errors of sockets.
 */
export async function sendGuarded(
  url: URL,
  request: GuardedRequest,
  { signal, ...options }: GuardOptions & { readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  return send(url, await checkedAddress(url, options, signal), request, { ...options, signal })
}

/**
 * One address of the host. Throws if any is not allowed, so that the host cannot influence which one is used.
 */
async function checkedAddress(url: URL, options: GuardOptions, signal: AbortSignal): Promise<string> {
  const host = hostOf(url)
  const addresses = isIP(host) ? [host] : await resolveHost(host, options.resolve ?? systemResolver, signal)
  const [first] = addresses
  if (first === undefined) throw new FetchError('dns', 'the host has no address')
  const isAllowed = options.isAllowed ?? isPublicAddress
  if (!addresses.every((address) => isIP(address) !== 0 && isAllowed(address)))
    throw new FetchError('blocked', 'the host is not a public one')
  return addresses.find((address) => isIP(address) === 4) ?? first
}

async function resolveHost(host: string, resolve: Resolver, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await untilAborted(resolve(host, signal), signal)
  } catch (error) {
    if (signal.aborted || error instanceof FetchError) throw error
    throw new FetchError('dns', 'the host name could not be resolved', { cause: error })
  }
}

function send(
  url: URL,
  address: string,
  { method, headers, body }: GuardedRequest,
  options: GuardOptions & { readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const secure = url.protocol === 'https:'
  const host = hostOf(url)
  const request: RequestOptions & { servername?: string } = {
    host: address,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    method,
    // Use a new connection: no shared sockets, and no agent with settings of the environment.
    agent: false,
    signal: options.signal,
    maxHeaderSize: 16_384,
    headers: { host: url.host, ...headers, connection: 'close' },
    // The certificate is checked against the requested name, not the address.
    ...(secure && { servername: isIP(host) ? '' : host }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = secure ? requestHttps(request, resolve) : requestHttp(request, resolve)
    const end = (error: FetchError) => () => outgoing.destroy(error)
    const unreached = end(new FetchError('network', 'no connection in time'))
    const connecting = setTimeout(unreached, options.connectTimeoutMs ?? 3_000)
    const late = end(new FetchError('timeout', 'no answer in time'))
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
      reject(new FetchError('status', 'status 101'))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
