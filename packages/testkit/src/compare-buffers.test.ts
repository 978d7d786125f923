import { expect, test } from 'vitest'

const twice = (bytes: readonly number[]) => [Buffer.from(bytes), Buffer.from(bytes)] as const

test('buffers are equal if their bytes are, alone and inside of others', () => {
  const [one, same] = twice([1, 2, 3])
  const [other] = twice([1, 2, 4])
  const wraps = [
    (value: unknown) => value,
    (value: unknown) => ({ hash: value }),
    (value: unknown) => [new Map([['key', value]])],
    (value: unknown) => new Set([value]),
  ]
  for (const wrap of wraps) {
    expect(wrap(one)).toEqual(wrap(same))
    expect(wrap(one)).toStrictEqual(wrap(same))
    expect(wrap(one)).not.toEqual(wrap(other))
  }
  expect({ hash: one, more: 1 }).toMatchObject({ hash: same })
  expect({ hash: one, more: 1 }).not.toMatchObject({ hash: other })
  expect(one).not.toEqual(one.subarray(0, 2))
})

test('other bytes are no buffer to a strict comparison, and a matcher still matches one', () => {
  const [one] = twice([1, 2, 3])
  expect(Uint8Array.from(one)).not.toStrictEqual(one)
  expect({ hash: one }).toEqual({ hash: expect.any(Buffer) })
  expect([one]).toEqual(expect.arrayContaining([Buffer.from(one)]))
})
