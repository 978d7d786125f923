import { ReplySize } from '@shardwalk/replies'
import { expect, test } from 'vitest'
import { ResultRows, resultText } from './result-text.ts'

const size = new ReplySize(1_048_576)
const rows = (count: number, text = '') =>
  new ResultRows(
    Array.from({ length: count }, (_, i) => i),
    (i) => ({ i, text }),
  )

test('rows and what stands beside them are one JSON document', async () => {
  let read = 0
  async function* counted() {
    for (; read < 3; read++) yield read
  }
  const result = {
    '@type': 'list',
    rows: new ResultRows(counted(), (i) => ({ i, large: 2n ** 64n })),
    next: () => read,
  }
  const large = '18446744073709551616'
  const items = [0, 1, 2].map((i) => `{"i":${i},"large":${large}}`).join(',')
  expect(await resultText(result, size)).toBe(`{"@type":"list","rows":[${items}],"next":3}`)
  expect(await resultText(rows(2), size)).toBe('[{"i":0,"text":""},{"i":1,"text":""}]')
  expect(await resultText('text', size)).toBe('"text"')
  expect(await resultText(undefined, size)).toBe('null')
})

test('a result that grows beyond the limit is refused while it is rendered', async () => {
  let rendered = 0
  const endless = new ResultRows(
    (function* () {
      for (;;) yield rendered++
    })(),
    () => 'x'.repeat(10_000),
  )
  await expect(resultText({ rows: endless }, size)).rejects.toMatchObject({
    name: 'ReplyTooLarge',
    message: 'the reply would have about 1 MiB, the limit is 1 MiB: lower `limit` or `count`',
  })
  expect(rendered).toBeLessThan(110)
  await expect(resultText('x'.repeat(2_000_000), size)).rejects.toMatchObject({ name: 'ReplyTooLarge' })
})

test('rendering many rows leaves the event loop free', async () => {
  let turns = 0
  let isDone = false
  const count = () => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await resultText(rows(20_000, '"\u0001'.repeat(100)), new ReplySize())
  isDone = true
  expect(turns).toBeGreaterThan(0)
})
