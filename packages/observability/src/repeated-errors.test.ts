import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createLogger } from './logger.ts'
import { RepeatedErrors } from './repeated-errors.ts'

const noSpace = (file: number) =>
  Object.assign(new Error(`could not extend file "base/1/${file}": No space left on device`), {
    code: '53100',
  })

test('a repeated error is logged once a minute, with the number of repetitions', () => {
  let now = 0
  const filter = new RepeatedErrors(() => now)
  const logged: unknown[] = []
  for (; now < 150_000; now += 250) {
    const fields = filter.admit('job failed', { job: now, error: noSpace(now) })
    if (fields) logged.push(fields['repeated'])
  }
  expect(logged).toEqual([undefined, 239, 239])
})

test('other errors, messages and paths, and entries without an error, all pass', () => {
  const filter = new RepeatedErrors(() => 0)
  const passes = (message: string, fields: Record<string, unknown>) =>
    filter.admit(message, fields) !== undefined
  expect(passes('job failed', { error: noSpace(1) })).toBe(true)
  expect(passes('job failed', { error: new Error('another') })).toBe(true)
  expect(passes('planning failed', { error: noSpace(1) })).toBe(true)
  expect(passes('request failed', { path: '/a', error: noSpace(1) })).toBe(true)
  expect(passes('request failed', { path: '/b', error: noSpace(1) })).toBe(true)
  expect(passes('progress', {}) && passes('progress', {})).toBe(true)
})

test('a logger and its children share the count', () => {
  let lines = 0
  const output = new Writable({
    write(_chunk, _encoding, done) {
      lines++
      done()
    },
  })
  const log = createLogger({ output, format: 'json' })
  const child = log.child({ part: 'queue' })
  for (let attempt = 0; attempt < 246; attempt++)
    (attempt % 2 ? log : child).warn('failed', { error: noSpace(attempt) })
  expect(lines).toBe(1)
})
