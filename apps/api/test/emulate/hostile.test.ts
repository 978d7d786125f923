import { beginCell, Cell } from '@ton/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../client.ts'
import { type RunningApi, startApi, warmUp } from '../v2/running-api.ts'
import { bomb, code, deploying, ENDLESS, SELF } from './hostile-messages.ts'
import { sendsOf } from './sends.ts'

/** A public library of the sample. */
const PUBLISHED = 'j0Utek39dAZraCNlF3JZ7QVzRDW+drX9S9XYryt8PWg='
/** c4 PUSH; CTOS; LDREF; DROP; CTOS; DROP: loads the first reference of the data as a cell. */
const LOADS_DATA = 'ed44d0d430d030'

let api: RunningApi
beforeAll(async () => {
  api = await startApi(undefined, { untrustedTimeoutMs: 60_000 })
  await warmUp(api)
})
afterAll(() => api?.close())

async function emulate(
  message: Cell | string,
  signal?: AbortSignal,
): Promise<{ status: number; body: Json }> {
  const boc = typeof message === 'string' ? message : message.toBoc().toString('base64')
  const reply = await fetch(`${api.base.replace('/v2', '/emulate/v1')}/emulateTrace`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ boc }),
    ...(signal && { signal }),
  })
  return { status: reply.status, body: (await reply.json()) as Json }
}

const exitCode = ({ body }: { readonly body: Json }) => {
  const [root] = Object.values(body['transactions'] as Record<string, { description: Json }>)
  return (root!.description['compute_ph'] as Json)['exit_code']
}

describe('a hostile message', () => {
  test('to a contract that loops for ever ends when out of gas', async () => {
    const reply = await emulate(deploying({ code: code(ENDLESS), data: new Cell() }))
    expect(reply).toMatchObject({ status: 200, body: { is_incomplete: false } })
    expect(exitCode(reply)).toBe(-14)
  })

  test('that causes one message after the other ends at the limit of depth', async () => {
    const { status, body } = await emulate(deploying({ code: code(SELF), data: new Cell() }))
    expect([status, body['is_incomplete']]).toEqual([200, true])
    expect(Object.keys(body['transactions'] as Json)).toHaveLength(32)
  })

  test.each([
    ['body', () => deploying({ code: code(SELF), data: new Cell() }, bomb(200))],
    ['data', () => deploying({ code: code(SELF), data: bomb(200) })],
    ['code', () => deploying({ code: bomb(200), data: new Cell() })],
    ['root', () => bomb(400)],
  ])('whose %s is a tree of more cells than there are atoms is answered', async (_part, message) => {
    expect([200, 400]).toContain((await emulate(message())).status)
  })

  test('with library cells that nobody publishes is answered', async () => {
    const library = (n: number) =>
      beginCell().storeUint(2, 8).storeBuffer(Buffer.alloc(32, n)).endCell({ exotic: true })
    const many = beginCell()
    for (let n = 1; n <= 3; n++) many.storeRef(library(n))
    const init = { code: many.endCell(), data: new Cell() }
    expect((await emulate(deploying(init))).status).toBe(200)
  })
})

test('a library to which only the data of a contract refers is there for it', async () => {
  const library = beginCell()
    .storeUint(2, 8)
    .storeBuffer(Buffer.from(PUBLISHED, 'base64'))
    .endCell({ exotic: true })
  const init = { code: code(LOADS_DATA), data: beginCell().storeRef(library).endCell() }
  expect(exitCode(await emulate(deploying(init)))).toBe(0)
  const unpublished = beginCell().storeUint(2, 8).storeUint(9, 256).endCell({ exotic: true })
  const other = { code: code(LOADS_DATA), data: beginCell().storeRef(unpublished).endCell() }
  expect(exitCode(await emulate(deploying(other)))).toBe(9)
})

test('clients that ask too much at once, or leave, leave room for others', async () => {
  const [{ boc }] = [sendsOf(/^wallet\.v4r2\.self$/)[0]!]
  const leaving = new AbortController()
  const left = Promise.allSettled(Array.from({ length: 10 }, () => emulate(boc, leaving.signal)))
  leaving.abort()
  await left
  const message = deploying({ code: code(SELF), data: new Cell() })
  const replies = await Promise.all(Array.from({ length: 30 }, () => emulate(message)))
  const statuses = new Set(replies.map(({ status }) => status))
  expect([...statuses].filter((status) => ![200, 429, 503].includes(status))).toEqual([])
  await expect.poll(async () => (await emulate(message)).status, { timeout: 60_000 }).toBe(200)
})
