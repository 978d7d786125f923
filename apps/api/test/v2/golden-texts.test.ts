import { toJsonText } from '@shardwalk/api-schema'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GoldenEntry, readGoldenEntries } from './golden-files.ts'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

let api: RunningApi
beforeAll(async () => {
  api = await startApi()
  await warmUp(api)
})
afterAll(() => api?.close())

async function errorOf({ http }: GoldenEntry): Promise<string> {
  const query = new URLSearchParams([...(http.query ?? [])].map(([name, value]) => [name, value]))
  const body = http.raw ?? (http.body === undefined ? undefined : toJsonText(http.body))
  const target = `${api.base}${http.path}?${http.raw_query ?? query}`
  const reply = await fetch(target, { method: http.verb, ...(body !== undefined && { body }) })
  return String(((await reply.json()) as { error?: unknown }).error)
}

/** Without what depends on the day of the recording. */
const timeless = (text: string): string => text.replaceAll(/(block: |seqno=)\d+/g, '$1N')

/** Line 2.0 sends what is no external message; refused messages name steps of the recording's node. */
const FORWARDED = /^sendBoc\/(not-a-message|internal-message|refused)/
/** Of lite servers, of bags of cells, and of messages. */
const COMPARED =
  /^(lookup from block error: )?(LITE_SERVER_|INVALID_BAG|Failed to unpack|from mc block|chain is)/

test('refusals have the words of the reference implementation', async () => {
  const recorded = readGoldenEntries().filter(({ name, status, body }) => {
    const { error = '' } = (body ?? {}) as { error?: string }
    return status === 500 && COMPARED.test(error) && !FORWARDED.test(name)
  })
  const texts: string[][] = [[], []]
  for (const entry of recorded) {
    const error = await errorOf(entry)
    // A value out of range is not passed on, nor is text that is not base64; some fail there and not here.
    if (/^(failed to (validate|parse)|transaction not found|undefined)/.test(error)) continue
    texts[0]!.push(`${entry.name}: ${timeless(error)}`)
    texts[1]!.push(`${entry.name}: ${timeless((entry.body as { error: string }).error)}`)
  }
  expect(texts[0]).toEqual(texts[1])
  expect(texts[0]!.length).toBe(31)
})
