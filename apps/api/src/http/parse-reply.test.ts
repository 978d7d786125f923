import { expect, test } from 'vitest'
import { parseReply } from './parse-reply.ts'

test('integers of members that a double cannot hold are texts', () => {
  expect(parseReply('{"a":18446744073709551615,"b":{"c":-9007199254740993},"d":7}')).toEqual({
    ...{ a: '18446744073709551615', b: { c: '-9007199254740993' }, d: 7 },
  })
})

test.each([
  ...['":1234567890123456,', '\\":1234567890123456}', '\\\\":1234567890123456,', '0:1234567890123456'],
  ...[':1234567890123456,', ':1234567890123456}', '\\', ',"a":1234567890123456,'],
])('a text that looks like a member stays as it is: %s', (comment) => {
  const reply = { comment, more: [comment, ':1234567890123456,', { comment }], number: 5 }
  const text = JSON.stringify(reply)
  expect(parseReply(text)).toEqual(reply)
  const number = '12345678901234567890'
  expect(parseReply(text.replace('"number":5', `"number":${number}`))).toEqual({ ...reply, number })
})
