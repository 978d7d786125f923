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

/** Addresses of a host that are tried: with both families one of each, as machines may have only one. */
const MAX_TRIED = 2

/**
 * Sends one request to an untrusted URL (`checkUrl`), to an address that the policy allows, without
 * resolving the name again, and without cookies, shared sockets or proxies of the environment. If no
 * connection to the first address comes about, the next one is tried. Redirects are not followed. Resolves
 * when the response headers have arrived. Throws `FetchError` and errors of sockets.
 */
export async function sendGuarded(
  url: URL,
  request: GuardedRequest,
  { signal, ...options }: GuardOptions & { readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const addresses = await checkedAddresses(url, options, signal)
  const connectTimeoutMs = (options.connectTimeoutMs ?? 3_000) / addresses.length
  for (const [index, address] of addresses.entries()) {
    let isConnected = false
    const onConnected = () => {
      isConnected = true
    }
    try {
      return await send(url, address, request, { ...options, connectTimeoutMs, signal, onConnected })
    } catch (error) {
      if (isConnected || signal.aborted || index === addresses.length - 1) throw error
    }
  }
  throw new FetchError('dns', 'the host has no address')
}

/**
 * Addresses of the host in the order in which they are tried. Throws if any of all is not allowed, so that
 * the host cannot influence which one is used.
 */
async function checkedAddresses(
  url: URL,
  options: GuardOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const host = hostOf(url)
  const addresses = isIP(host) ? [host] : await resolveHost(host, options.resolve ?? systemResolver, signal)
  const isAllowed = options.isAllowed ?? isPublicAddress
  if (!addresses.every((address) => isIP(address) !== 0 && isAllowed(address)))
    throw new FetchError('blocked', 'the host is not a public one')
  const four = addresses.filter((address) => isIP(address) === 4)
  const six = addresses.filter((address) => isIP(address) === 6)
  return [...four.slice(0, 1), ...six.slice(0, 1), ...four.slice(1), ...six.slice(1)].slice(0, MAX_TRIED)
}

async function resolveHost(host: string, resolve: Resolver, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await untilAborted(resolve(host, signal), signal)
  } catch (error) {
    if (signal.aborted || error instanceof FetchError) throw error
    throw new FetchError('dns', 'the host name could not be resolved', { cause: error })
  }
}

type SendOptions = GuardOptions & { readonly signal: AbortSignal; readonly onConnected: () => void }

const isSecure = (url: URL): boolean => url.protocol === 'https:'

function send(
  url: URL,
  address: string,
  asked: GuardedRequest,
  options: SendOptions,
): Promise<IncomingMessage> {
  const secure = isSecure(url)
  const request = requestTo(url, address, asked, options.signal)
  return new Promise((resolve, reject) => {
    const outgoing = secure ? requestHttps(request, resolve) : requestHttp(request, resolve)
    const end = (error: FetchError) => () => outgoing.destroy(error)
    const unreached = end(new FetchError('network', 'no connection in time'))
    const connecting = setTimeout(unreached, options.connectTimeoutMs)
    const late = end(new FetchError('timeout', 'no answer in time'))
    const waiting = setTimeout(late, options.firstByteTimeoutMs ?? 5_000)
    outgoing.once('socket', (socket) => {
      socket.once('connect', options.onConnected)
      socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
    })
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
    outgoing.end(asked.body)
  })
}

function requestTo(
  url: URL,
  address: string,
  { method, headers }: GuardedRequest,
  signal: AbortSignal,
): RequestOptions & { servername?: string } {
  const secure = isSecure(url)
  const host = hostOf(url)
  return {
    host: address,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: url.pathname + url.search,
    method,
    // Use a new connection: no shared sockets, and no agent with settings of the environment.
    agent: false,
    signal,
    maxHeaderSize: 16_384,
    headers: { host: url.host, ...headers, connection: 'close' },
    // The certificate is checked against the requested name, not the address.
    ...(secure && { servername: isIP(host) ? '' : host }),
  }
}
