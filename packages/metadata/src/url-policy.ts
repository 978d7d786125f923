import { FetchError } from './fetch-error.ts'

/**
 * Ports of services that accept arbitrary bytes or are dangerous to reach. Below 1024, only 80 and 443 are
 * allowed.
 */
const DENIED_PORTS: ReadonlySet<number> = new Set([
  1433, 1521, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4444, 5000, 5432, 5672, 5900, 5984, 6000, 6379,
  6443, 6660, 6667, 7001, 8086, 8125, 8500, 9000, 9042, 9092, 9100, 9200, 9300, 10250, 11211, 15672, 26379,
  27017, 50000,
])
const MAX_URL = 4096

/** Parses an http(s) URL, relative to `base` if given. Throws `FetchError` if it must not be fetched. */
export function checkUrl(text: string, base?: URL): URL {
  if (text.length > MAX_URL) throw new FetchError('unsupported', 'the URL is longer than 4096 characters')
  if (!URL.canParse(text, base?.href)) throw new FetchError('unsupported', 'not a URL')
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new FetchError('unsupported', 'only http, https, ipfs and data URLs are fetched')
  if (base?.protocol === 'https:' && url.protocol === 'http:')
    throw new FetchError('blocked', 'a redirect from https to http is not followed')
  if (url.username !== '' || url.password !== '')
    throw new FetchError('blocked', 'URLs with user names are not fetched')
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (port !== 80 && port !== 443 && (port < 1024 || DENIED_PORTS.has(port)))
    throw new FetchError('blocked', 'this port is not allowed')
  return url
}

/** Host without the brackets of IPv6 literals. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')
