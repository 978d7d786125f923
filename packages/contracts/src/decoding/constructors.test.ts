import { EMPTY_CELL } from '@shardwalk/cells'
import { expect, test } from 'vitest'
import { BODIES } from '../bodies/schema/bodies.ts'
import { parseBodyLine, typeNameOf } from '../bodies/schema/grammar.ts'
import { TYPES } from '../bodies/schema/types.ts'
import { DATA_LAYOUTS, UNPRINTED_BODIES } from '../bodies/schema/unprinted.ts'
import { tableRows } from '../table-rows.ts'
import { attempt } from './compile.ts'
import { types } from './constructors.ts'
import { DecodeContext } from './context.ts'

test.each(Object.entries({ BODIES, DATA_LAYOUTS, UNPRINTED_BODIES }))(
  'every row of %s can be parsed and compiled, which happens when one is first used',
  (_, table) => {
    for (const row of tableRows(table)) {
      const context = new DecodeContext(() => undefined)
      const read = () => attempt(() => types.body(parseBodyLine(row))(context.open(EMPTY_CELL), context))
      expect(read, row).not.toThrow()
    }
  },
)

test('so can every type', () => {
  for (const row of tableRows(TYPES)) expect(() => types.reader(typeNameOf(row)), row).not.toThrow()
})
