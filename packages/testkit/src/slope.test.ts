import { expect, test } from 'vitest'
import { type Point, quantile, settledGrowth, slopeOf } from './slope.ts'

const points = (values: readonly number[]): Point[] =>
  values.map((value, index) => ({ at: 1_000 + index * 10, value }))
const hundred = (value: (index: number) => number): Point[] =>
  points(Array.from({ length: 101 }, (_, index) => value(index)))

test('the slope of a line is its own, wherever it begins', () => {
  expect(slopeOf(points([7, 9, 11, 13]))).toBeCloseTo(0.2)
  expect(slopeOf(points([5, 5, 5]))).toBe(0)
  expect(slopeOf(points([5]))).toBe(0)
})

test('growth counts from the second quarter on', () => {
  expect(settledGrowth(hundred((index) => Math.min(index, 25)))).toBeCloseTo(0)
  expect(settledGrowth(hundred((index) => index))).toBeCloseTo(75)
})

test('a peak that passes is little growth, and a fall none', () => {
  const peak = hundred((index) => (index === 60 ? 200 : 100))
  expect(Math.abs(settledGrowth(peak))).toBeLessThan(2)
  expect(settledGrowth(hundred((index) => 100 - index))).toBeCloseTo(-75)
})

test('a saw-tooth around a level is no growth, and one that rises is', () => {
  expect(Math.abs(settledGrowth(hundred((index) => index % 5)))).toBeLessThan(1)
  expect(settledGrowth(hundred((index) => (index % 5) + index / 2))).toBeGreaterThan(35)
})

test('nothing, and one point, grow by nothing', () => {
  expect(settledGrowth([])).toBe(0)
  expect(settledGrowth(points([3]))).toBe(0)
})

test('a quantile is one of the values', () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2)
  expect(quantile([4, 1, 3, 2], 0.99)).toBe(4)
  expect(quantile([4, 1, 3, 2], 0)).toBe(1)
  expect(quantile([], 0.5)).toBeNaN()
})
