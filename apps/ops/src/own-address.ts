import type { Settings } from '@shardwalk/settings'

/**
 * How this machine reaches an API that may listen on all addresses. `::` is IPv4 too, and can be listened on
 * where IPv6 is switched off, as in containers, which then have no `::1`.
 */
const OF_ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '127.0.0.1' }

/** Where the API is, as `http://127.0.0.1:8081`. */
export function addressOf({ apiHost, apiPort }: Pick<Settings, 'apiHost' | 'apiPort'>): string {
  const host = OF_ALL[apiHost] ?? apiHost
  return `http://${host.includes(':') ? `[${host}]` : host}:${apiPort}`
}
