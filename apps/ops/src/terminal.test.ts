import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Terminal } from './terminal.ts'

test('lines that nobody reads are bounded, and counted as soon as somebody does', async () => {
  const output = new PassThrough()
  const terminal = new Terminal(output)
  const noteLost = (lines: number) => terminal.line(`${lines} left out`)
  terminal.onLost = noteLost
  for (let n = 0; n < 20_000; n++) terminal.line('x'.repeat(1000))
  expect(output.writableLength + output.readableLength).toBeLessThan(9 * 2 ** 20)
  let text = ''
  output.on('data', (chunk) => {
    text += String(chunk)
  })
  await expect.poll(() => output.writableLength).toBe(0)
  terminal.line('the end')
  await expect.poll(() => text).toMatch(/\n\d+ left out\nthe end\n$/)
  const lines = text.split('\n')
  expect(lines.length - 3 + Number.parseInt(lines.at(-3)!, 10)).toBe(20_000)
})
