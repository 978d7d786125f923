import { lookup, Resolver as NameServers } from 'node:dns/promises'
import { FetchError } from './fetch-error.ts'

/** Returns all addresses of a host name. */
export type Resolver = (host: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Names that the operator chose: those of files and other services of the system count too. A lookup occupies
 * one of the few threads of the process until it ends, which nothing can hasten.
 */
export const systemResolver: Resolver = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map((one) => one.address)

/**
 * For names from untrusted metadata. Name servers are asked directly, because a hostile one may never answer:
 * a few such names would occupy all threads with which the system resolves names. `servers`: for tests.
 */
export const untrustedResolver =
  (servers?: readonly string[]): Resolver =>
  async (host, signal) => {
    if (/(^|\.)localhost\.?$/i.test(host)) throw new FetchError('blocked', 'the host is not a public one')
    const resolver = new NameServers({ timeout: 2_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    const stop = () => resolver.cancel()
    signal.addEventListener('abort', stop, { once: true })
    try {
      const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      const found = [four, six].flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
      if (found.length === 0 && four.status === 'rejected') throw four.reason
      return found
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
