import { type ExactJson, parseExactJson, toJsonText, V2_RESULTS, v2MethodName } from '@shardwalk/api-schema'
import { isLong } from '@shardwalk/testkit/runs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectationOf, sameBag } from './current-line.ts'
import { covers, differences, type GoldenEntry, readGoldenEntries } from './golden-files.ts'
import { type RunningApi, startApi, warmUp } from './running-api.ts'

/** Intended differences, each a row of docs/compatibility-v2.md, with the status returned instead. */
const DIFFERENT: Readonly<Record<string, number>> = {
  // The shard block is newer than the recording.
  'lookupBlock/merged-lt-old-shard': 500,
  // The replay server runs no contracts and accepts every external message for an existing account.
  'sendBoc/refused-wrong-seqno': 200,
  'sendBoc/refused-bad-signature': 200,
  'sendBoc/refused-expired': 200,
  'sendBoc/refused-wrong-wallet-id': 200,
  'sendBoc/refused-empty-body': 200,
  // A nonexistent workchain is an error of the client.
  'getAddressInformation/workchain-5': 422,
  'getExtendedAddressInformation/workchain-5': 422,
  'getWalletInformation/workchain-5': 422,
  'getAddressBalance/workchain-5': 422,
  'getAddressState/workchain-5': 422,
}

let api: RunningApi
beforeAll(async () => {
  api = await startApi()
  await warmUp(api)
})
afterAll(() => api.close())

const entries = readGoldenEntries()

async function ask({ http }: GoldenEntry): Promise<{ status: number; body: ExactJson }> {
  const query =
    http.raw_query ??
    new URLSearchParams(
      [...(http.query ?? [])].map(([name, value]): [string, string] => [name, value]),
    ).toString()
  const body = http.raw ?? (http.body === undefined ? undefined : toJsonText(http.body))
  const reply = await fetch(`${api.base}${http.path}${query === '' ? '' : `?${query}`}`, {
    method: http.verb,
    redirect: 'manual',
    ...(body === undefined
      ? {}
      : { body, headers: { 'content-type': http.content_type ?? 'application/json' } }),
  })
  return { status: reply.status, body: parseExactJson(await reply.text()) }
}

/** Of a path, or of a JSON-RPC call. */
const methodOf = ({ http }: GoldenEntry): string => {
  if (!http.path.startsWith('/jsonRPC')) return http.path.slice(1)
  return String((http.body as { readonly method?: unknown } | undefined)?.method ?? '')
}

describe('replies of the reference implementation', () => {
  const methods = [...new Set(entries.map(({ method }) => method))]
  test.each(methods)('%s is answered as by the 2.1 line', async (method) => {
    const problems: string[] = []
    for (const [index, entry] of entries.filter((candidate) => candidate.method === method).entries()) {
      const expected = expectationOf(entry)
      if (!expected) continue
      // Refusals are cheap, and where the lines differ is what may go wrong.
      const isPlain = expected.status === 200 && entry.status === 200 && !DIFFERENT[entry.name]
      if (!isLong && isPlain && index % 3 !== 0) continue
      const { status, body } = await ask(entry)
      const wanted = DIFFERENT[entry.name] ?? expected.status
      if (status !== wanted)
        problems.push(`${entry.name}: ${status} instead of ${wanted} ${JSON.stringify(body).slice(0, 300)}`)
      const name = v2MethodName(methodOf(entry))
      const schema = status === 200 && name ? V2_RESULTS[name] : undefined
      const checked = schema?.safeParse((JSON.parse(toJsonText(body)) as { result: unknown }).result)
      if (checked?.error) problems.push(`${entry.name}: ${JSON.stringify(checked.error.issues.slice(0, 2))}`)
      if (expected.body === undefined || DIFFERENT[entry.name] !== undefined) continue
      const isFailure = (expected.body as { ok: boolean }).ok === false
      for (const path of differences(body, expected.body, sameBag)) {
        const isLeftOut = path === '/@extra' || expected.volatile.some((pattern) => covers(pattern, path))
        if (!isLeftOut && !(isFailure && !['/ok', '/code'].includes(path)))
          problems.push(`${entry.name}: ${path}`)
      }
    }
    expect(problems).toEqual([])
  })

  test('all recorded replies are compared', () => {
    expect(entries.length).toBe(698)
  })
})
