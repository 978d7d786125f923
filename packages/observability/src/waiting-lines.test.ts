import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLogger } from './logger.ts'

/** A pipe that nobody reads until `read`. */
function stuckPipe() {
  const lines: string[] = []
  let next = () => {}
  let isRead = false
  const output = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      if (isRead) done()
      else next = done
    },
  })
  const read = async () => {
    isRead = true
    next()
    await expect.poll(() => output.writableLength).toBe(0)
  }
  return { output, lines, read }
}

const LINE = 'x'.repeat(1000)

test.each(['json', 'pretty'] as const)(
  'what nobody reads takes a bounded memory, and later lines say how many are missing (%s)',
  async (format) => {
    const { output, lines, read } = stuckPipe()
    const log = createLogger({ output, format })
    for (let n = 0; n < 20_000; n++) log.info('line', { n, LINE })
    expect(output.writableLength).toBeLessThan(9 * 2 ** 20)
    await read()
    const written = lines.length
    expect(written).toBeGreaterThan(5_000)
    log.info('read again')
    log.info('and again')
    expect(lines.slice(written)).toEqual([
      expect.stringMatching(new RegExp(`nobody read them.*lines"?[:=]${20_000 - written}\\b`)),
      expect.stringContaining('read again'),
      expect.stringContaining('and again'),
    ])
  },
)
