import { expect, test } from 'vitest'
import { TABLES } from './catalogue.ts'

test('tables are found by their names', () => {
  for (const [name, table] of Object.entries(TABLES)) expect(table.name).toBe(name)
})

test('every column says what it holds, in a sentence', () => {
  for (const { name, columns } of Object.values(TABLES))
    for (const [column, { comment }] of Object.entries(columns))
      expect(comment, `${name}.${column}`).toMatch(/^\S.*\.$/)
})

test('primary keys are columns of their table', () => {
  for (const { primaryKey, columns } of Object.values(TABLES))
    for (const column of primaryKey ?? []) expect(Object.keys(columns)).toContain(column)
})
