import { expect, test } from 'vitest'
import { csvLine } from './export.ts'

test('integers in CSV keep all digits, alone and within objects', () => {
  const item = '{"id":18446744073709551615,"actions":[{"query_id":18446744073709551615}],"n":7}'
  expect(csvLine(item, ['id', 'actions', 'n'])).toBe(
    '18446744073709551615,"[{""query_id"":""18446744073709551615""}]",7\r\n',
  )
})
