import { isIP } from 'node:net'

/** The value of a text, or what is wrong with it; the caller adds the setting's name. */
export type Parsed<T> = { readonly value: T } | { readonly problem: string }

/** Parses one kind of setting. `accepts` is used in help, documentation and error messages. */
export interface Kind<T> {
  readonly accepts: string
  parse(text: string): Parsed<T>
}

const wrong = (kind: { accepts: string }, text: string): { problem: string } => ({
  problem: `expected ${kind.accepts}, got "${text}"`,
})

/** Any text; `accepts` says in help and errors what is meant. */
export const text = (accepts: string): Kind<string> => ({ accepts, parse: (value) => ({ value }) })

/**
 * A secret of ASCII characters: of others, clients and servers of PostgreSQL may make different bytes.
 * Messages do not repeat it.
 */
export const asciiSecret: Kind<string> = {
  accepts: 'ASCII characters',
  parse: (given) =>
    /^[\x20-\x7e]+$/.test(given) ? { value: given } : { problem: `expected ${asciiSecret.accepts}` },
}

/** One of these words. */
export function oneOf<const T extends readonly string[]>(...values: T): Kind<T[number]> {
  const kind: Kind<T[number]> = {
    accepts: values.map((value) => `\`${value}\``).join(', '),
    parse: (given) => (values.includes(given) ? { value: given } : wrong(kind, given)),
  }
  return kind
}

/** A whole number, both bounds inclusive. */
export function integer(min: number, max: number): Kind<number> {
  const kind: Kind<number> = {
    accepts: `a whole number from ${min} to ${max}`,
    parse(given) {
      const value = /^-?\d+$/.test(given) ? Number(given) : Number.NaN
      return value >= min && value <= max ? { value } : wrong(kind, given)
    },
  }
  return kind
}

/** A decimal number, e.g. requests per second. */
export function decimal(min: number, max: number): Kind<number> {
  const kind: Kind<number> = {
    accepts: `a number from ${min} to ${max}`,
    parse(given) {
      const value = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN
      return value >= min && value <= max ? { value } : wrong(kind, given)
    },
  }
  return kind
}

/** A switch; `true`, `yes` and `1` are accepted as well, in any case. */
export const onOff: Kind<boolean> = {
  accepts: '`on`, `off`',
  parse(given) {
    if (/^(on|true|yes|1)$/i.test(given)) return { value: true }
    if (/^(off|false|no|0)$/i.test(given)) return { value: false }
    return wrong(onOff, given)
  },
}

/** What a URL that begins rightly mostly lacks. */
const ESCAPE = 'not a valid URL; in user and password write # as %23, / as %2F, and ? as %3F'

/** A port that is a number, at the end of what may be the host and without a user after it. */
const PORT = /^\w+:\/\/(?:[^/?#]*@)?(?:\[[^\]]*\]|[^/?#@:]+):(\d+)(?:[/?#][^@]*)?$/

const problemOf = (text: string): string =>
  Number(PORT.exec(text)?.[1]) > 65_535 ? 'the port is not a number from 1 to 65535' : ESCAPE

/**
 * A URL with one of the given schemes, as text. Problems do not repeat the value, which may contain a
 * password.
 */
export function url(...schemes: string[]): Kind<string> {
  const kind: Kind<string> = {
    accepts: `a URL starting with ${schemes.map((scheme) => `\`${scheme}://\``).join(' or ')}`,
    parse(given) {
      const [start = ''] = given.split('://')
      if (!URL.canParse(given) && schemes.includes(start)) return { problem: problemOf(given) }
      const scheme = URL.canParse(given) ? new URL(given).protocol.slice(0, -1) : ''
      return schemes.includes(scheme) ? { value: given } : { problem: `expected ${kind.accepts}` }
    },
  }
  return kind
}

const NO_NUMBER = 'the path of the URL is the number of a database, such as /0'

/** URL of a Redis server. Problems do not repeat the value. */
export const redisUrl: Kind<string> = {
  accepts: url('redis', 'rediss').accepts,
  parse(given) {
    const parsed = url('redis', 'rediss').parse(given)
    if ('problem' in parsed) return parsed
    const { pathname, searchParams } = new URL(given)
    // The client would ask for database NaN, and nobody waits for that answer.
    const isNumber = /^\/?\d{0,9}$/.test(pathname) && /^\d{0,9}$/.test(searchParams.get('db') ?? '')
    return isNumber ? parsed : { problem: NO_NUMBER }
  },
}

/** `head`, `genesis` or a masterchain seqno. */
export type StartPoint = 'head' | 'genesis' | number

/** `head`, `genesis` or a masterchain seqno. */
export const startPoint: Kind<StartPoint> = {
  accepts: '`head`, `genesis` or a masterchain seqno',
  parse(given) {
    if (given === 'head' || given === 'genesis') return { value: given }
    const seqno = /^\d{1,10}$/.test(given) ? Number(given) : 0
    return seqno >= 1 && seqno <= 0xffffffff ? { value: seqno } : wrong(startPoint, given)
  },
}

/** What is kept of the chain: masterchain blocks up to the newest one, or seconds before it. */
export type Retention = { readonly text: string } & (
  | { readonly blocks: number }
  | { readonly seconds: number }
)

const SECONDS = { h: 3_600, d: 86_400 } as const

export const retention: Kind<Retention> = {
  accepts: 'a number of masterchain blocks from 1000 on, or a time such as `12h` or `30d`',
  parse(given) {
    const [, digits = '', unit] = /^([1-9]\d{0,8})([hd]?)$/.exec(given) ?? []
    const count = Number(digits)
    if (unit === undefined || (unit === '' && count < 1_000)) return wrong(retention, given)
    const value =
      unit === ''
        ? { text: given, blocks: count }
        : { text: given, seconds: count * SECONDS[unit as keyof typeof SECONDS] }
    return { value }
  },
}

/** One server of `LITESERVERS`. */
export interface LiteserverAddress {
  readonly host: string
  readonly port: number
  /** Ed25519 public key: 32 bytes in base64. */
  readonly key: string
}

export const liteservers: Kind<readonly LiteserverAddress[]> = {
  accepts: '`host:port:base64key`, several separated by commas',
  parse(given) {
    const servers: LiteserverAddress[] = []
    for (const item of given.split(',').map((part) => part.trim())) {
      const match = /^(.+):(\d{1,5}):([A-Za-z0-9+/]{43}=)$/.exec(item)
      const port = Number(match?.[2])
      if (!match || port < 1 || port > 65535) return wrong(liteservers, item)
      servers.push({ host: match[1]!, port, key: match[3]! })
    }
    return { value: servers }
  },
}

const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** URLs of the given schemes, separated by commas. */
export function urls(...schemes: string[]): Kind<readonly string[]> {
  const one = url(...schemes)
  const kind: Kind<readonly string[]> = {
    accepts: `${one.accepts}, several separated by commas`,
    parse(given) {
      const items = splitList(given)
      const isUsable = items.length > 0 && items.every((item) => 'value' in one.parse(item))
      return isUsable ? { value: items } : { problem: `expected ${kind.accepts}` }
    },
  }
  return kind
}

const SEVERAL_SERVERS =
  'several servers in one URL are not supported; what follows the primary is in docs/scaling.md#failover'

/** URL of a PostgreSQL server. Problems do not repeat the value. */
export const databaseUrl: Kind<string> = {
  accepts: url('postgres', 'postgresql').accepts,
  parse(given) {
    const [, hosts = ''] = /^\w+:\/\/(?:.*@)?([^/?#]*)/.exec(given) ?? []
    if (hosts.includes(',') || /,\s*postgres(?:ql)?:\/\//.test(given)) return { problem: SEVERAL_SERVERS }
    return url('postgres', 'postgresql').parse(given)
  },
}

/**
 * URLs of PostgreSQL servers; a comma belongs to a password unless another URL follows it. Problems do not
 * repeat the value.
 */
export const databaseUrls: Kind<readonly string[]> = {
  accepts: `${url('postgres', 'postgresql').accepts}, several separated by commas`,
  parse(given) {
    const items = given.split(/\s*,\s*(?=postgres(?:ql)?:\/\/)/)
    const problem = items.map((item) => databaseUrl.parse(item)).find((parsed) => 'problem' in parsed)
    if (!problem) return { value: items }
    return problem.problem === `expected ${databaseUrl.accepts}`
      ? { problem: `expected ${databaseUrls.accepts}` }
      : problem
  },
}

/** IP networks like `203.0.113.0/24`, or single addresses. */
export const networks: Kind<readonly string[]> = {
  accepts: 'networks like `203.0.113.0/24` or single addresses, separated by commas',
  parse(given) {
    const items = splitList(given)
    const wrongOne = items.find((item) => !isNetwork(item))
    return wrongOne === undefined ? { value: items } : wrong(networks, wrongOne)
  },
}

/** Networks by the names that Express has for them. */
const NAMED_NETWORKS: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

/** What Express can trust, which is not everybody. */
export const proxies: Kind<readonly string[]> = {
  accepts:
    'addresses, networks like `10.0.0.0/8`, `loopback`, `linklocal` or `uniquelocal`, separated by commas',
  parse(given) {
    const items = splitList(given)
    const wrongOne = items.find(
      (item) => !NAMED_NETWORKS.includes(item) && (!isNetwork(item) || /\/0+$/.test(item)),
    )
    return wrongOne === undefined ? { value: items } : wrong(proxies, wrongOne)
  },
}

function isNetwork(text: string): boolean {
  const [address = '', bits, more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more !== undefined) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
}

/** Secret bytes as hex text; messages do not repeat them. */
export const hexBytes: Kind<string> = {
  accepts: 'an even number of hex digits',
  parse: (given) =>
    /^([0-9a-f]{2})+$/i.test(given) ? { value: given } : { problem: `expected ${hexBytes.accepts}` },
}
