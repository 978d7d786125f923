import { expect, test } from 'vitest'
import { lazy } from './lazy.ts'

test('a value is made when it is first asked for, once', () => {
  let made = 0
  const value = lazy(() => {
    made++
    return undefined
  })
  expect(made).toBe(0)
  value()
  value()
  expect(made).toBe(1)
})

test('what could not be made is tried again', () => {
  let tries = 0
  const value = lazy(() => {
    if (++tries === 1) throw new Error('not yet')
    return 'made'
  })
  expect(value).toThrow('not yet')
  expect(value()).toBe('made')
})
