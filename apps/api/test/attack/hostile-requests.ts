import { randomFrom } from '@shardwalk/testkit'

/** An operation of an OpenAPI document. */
export interface Operation {
  readonly verb: 'GET' | 'POST'
  readonly path: string
  readonly parameters: readonly string[]
  /** Statuses that the document lists. */
  readonly statuses: ReadonlySet<number>
}

export interface HostileRequest {
  readonly verb: string
  readonly path: string
  readonly body?: string
  readonly headers: Readonly<Record<string, string>>
  readonly operation: Operation
}

interface Described {
  readonly parameters?: readonly { readonly name: string }[]
  readonly 'x-fields'?: readonly { readonly name: string }[]
  readonly responses: Readonly<Record<string, unknown>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

export function operationsOf(document: unknown): Operation[] {
  return Object.entries((document as Document).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, described]) => ({
      verb: verb.toUpperCase() as Operation['verb'],
      path,
      parameters: [...(described.parameters ?? []), ...(described['x-fields'] ?? [])].map(({ name }) => name),
      statuses: new Set(Object.keys(described.responses).map(Number)),
    })),
  )
}

const HASH = '0'.repeat(64)
/** Values that are invalid, extreme or expensive for some parameter. */
const VALUES: readonly unknown[] = [
  ...[
    '',
    '0',
    '1',
    '-1',
    '1000',
    '1001',
    '4294967296',
    '9223372036854775807',
    '9'.repeat(400),
    '1e999',
    'NaN',
  ],
  ...[
    'true',
    'asc',
    'desc',
    'in',
    'null',
    '\u0000',
    '\ud800',
    '💎'.repeat(40),
    '%',
    "'; drop table blocks; --",
  ],
  ...['../../etc/passwd', 'A'.repeat(5000), `0:${HASH}`, `-1:${'3'.repeat(64)}`, `5:${HASH}`, HASH, 'seqno'],
  ...['te6cckEBAQEAAgAAAEysuc0=', 'AAAA', '0x0f8a7ea5', '__proto__', 'constructor', '8000000000000000'],
  ...[0, -1, 2 ** 53, 1.5, true, null, {}, [], [['num', '1']], { length: -1 }],
  Array.from({ length: 1001 }, () => `0:${HASH}`),
  Array.from({ length: 300 }, (_, i) => ['num', `0x${i}`]),
]
/** Bodies that JSON.stringify cannot produce. */
const BODIES = [
  '',
  'null',
  '[]',
  '{',
  '{"a":',
  '[[[['.repeat(2000),
  `{"id":${'1'.repeat(5000)}}`,
  '\ufeff{}',
  '{}garbage',
]
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => path.toUpperCase(),
  (path) => path.replace('/api/', '/api//'),
  (path) => path.replace(/[a-z]$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
]
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { 'X-Timeout': '1' },
  { Accept: 'text/csv' },
  { 'If-None-Match': '"x", W/"y"' },
  { 'X-API-Key': 'x'.repeat(300) },
  { 'X-Actions-Version': 'v999' },
  { 'Accept-Encoding': 'gzip' },
]

/** Requests in an order determined by the seed: each operation in turn, every time in another form. */
export function* hostileRequests(operations: readonly Operation[], seed: number): Generator<HostileRequest> {
  const random = randomFrom(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const names = [...new Set(operations.flatMap(({ parameters }) => parameters))]
  const methods = operations.flatMap(({ path }) => (path.startsWith('/api/v2/') ? [path.slice(8)] : []))
  const valuesOf = ({ parameters }: Operation) => {
    // A third have none: answers and refusals mix.
    const share = random() < 0.35 ? 0 : 0.4
    const given = parameters.filter(() => random() < share)
    if (random() < 0.1) given.push(pick(names))
    return given.map(
      (name) => [name, name === 'method' && random() < 0.7 ? pick(methods) : pick(VALUES)] as const,
    )
  }
  for (;;)
    for (const operation of operations) {
      const path = random() < 0.05 ? pick(SPELLINGS)(operation.path) : operation.path
      const headers = random() < 0.2 ? pick(HEADERS) : {}
      const values = valuesOf(operation)
      if (operation.verb === 'GET') {
        const query = new URLSearchParams(
          values.map(([name, value]): [string, string] => [name, asText(value)]),
        ).toString()
        yield { verb: random() < 0.03 ? 'HEAD' : 'GET', path: `${path}?${query}`, headers, operation }
      } else {
        const content = Object.fromEntries(values)
        const body = random() < 0.1 ? pick(BODIES) : JSON.stringify(wrapped(operation, content))
        yield {
          verb: 'POST',
          path,
          body,
          headers: { 'Content-Type': 'application/json', ...headers },
          operation,
        }
      }
    }
}

/** Parameters of JSON-RPC are in an object of their own. */
const wrapped = ({ path }: Operation, content: Record<string, unknown>) =>
  path.endsWith('/jsonRPC') ? { id: 1, ...content, params: content['params'] ?? content } : content

const asText = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)))
