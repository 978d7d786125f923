import { expect, test } from 'vitest'
import { parseReply } from './parse-reply.ts'

test('integers of members that a double cannot hold are texts', () => {
  expect(parseReply('{"a":18446744073709551615,"b":{"c":-9007199254740993},"d":7}')).toEqual({
    ...{ a: '18446744073709551615', b: { c: '-9007199254740993' }, d: 7 },
  })
})

test.each(['":1234567890123456,', '\\":1234567890123456}', '\\\\":1234567890123456,', '0:1234567890123456'])(
  'a text that looks like a member stays as it is: %s',
  (comment) => {
    const reply = { comment, more: [comment, { comment }] }
    expect(parseReply(JSON.stringify(reply))).toEqual(reply)
  },
)
