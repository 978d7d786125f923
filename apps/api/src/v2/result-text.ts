import { toJsonText } from '@shardwalk/api-schema'
import { Pace } from '@shardwalk/concurrency'
import type { ReplySize } from '@shardwalk/replies'

/** Rows of a result, or of one of its members, that are rendered one by one. */
export class ResultRows<Row = unknown> {
  constructor(
    readonly rows: Iterable<Row> | AsyncIterable<Row>,
    readonly toReply: (row: Row) => unknown,
  ) {}
}

/**
 * The result of a handler as JSON text. Members are rendered in their order; one that is a function is called
 * when those before it are. Throws `ReplyTooLarge`.
 */
export async function resultText(result: unknown, size: ReplySize): Promise<string> {
  if (result instanceof ResultRows) return rowsText(result, size)
  const rows = isObject(result)
    ? Object.values(result).find((value) => value instanceof ResultRows)
    : undefined
  if (!rows) return bounded(toJsonText(result ?? null), size)
  const members: string[] = []
  for (const [name, value] of Object.entries(result as object)) {
    if (value === undefined) continue
    const text = value instanceof ResultRows ? await rowsText(value, size) : toJsonText(evaluated(value))
    members.push(`${JSON.stringify(name)}:${text}`)
  }
  return bounded(`{${members.join(',')}}`, size)
}

async function rowsText({ rows, toReply }: ResultRows, size: ReplySize): Promise<string> {
  const texts: string[] = []
  const pace = new Pace()
  let length = 0
  for await (const row of rows) {
    const text = toJsonText(toReply(row))
    length += text.length
    size.expect(length, LESS)
    texts.push(text)
    await pace.rest()
  }
  return `[${texts.join(',')}]`
}

const LESS = 'lower `limit` or `count`'

function bounded(text: string, size: ReplySize): string {
  size.expect(text.length, LESS)
  return text
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const evaluated = (value: unknown): unknown => (typeof value === 'function' ? value() : value)
