import { expect, test } from 'vitest'
import { FaultyCodes } from './faulty-codes.ts'

test('a code is refused after three strikes in a row and heals by itself', () => {
  let now = 0
  const codes = new FaultyCodes(() => now)
  for (let strike = 0; strike < 5; strike++) codes.note('code', false)
  expect(codes.isRefused('code')).toBe(true)
  now = 59_999
  expect(codes.isRefused('code')).toBe(true)
  now = 60_000
  expect(codes.isRefused('code')).toBe(false)
  codes.note('code', false)
  expect(codes.isRefused('code')).toBe(true)
  now = 240_000
  codes.note('code', false)
  codes.note('code', false)
  expect(codes.isRefused('code')).toBe(false)
})

test('strikes of one class of callers do not affect others, and a success clears them', () => {
  const codes = new FaultyCodes(() => 0)
  for (let strike = 0; strike < 3; strike++) codes.note('code a', false)
  expect(codes.isRefused('code a')).toBe(true)
  expect(codes.isRefused('code b')).toBe(false)
  codes.note('code a', true)
  expect(codes.isRefused('code a')).toBe(false)
})

test('faults last when many runs in a row failed, however long ago, and until one succeeds', () => {
  let now = 0
  const codes = new FaultyCodes(() => now)
  for (let strike = 0; strike < 4; strike++, now += 300_000) codes.note('code', false)
  expect(codes.isLasting('code')).toBe(false)
  codes.note('code', false)
  expect(codes.isLasting('code')).toBe(true)
  codes.note('code', true)
  expect(codes.isLasting('code')).toBe(false)
})
