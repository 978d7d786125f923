import { expect, test } from 'vitest'
import { type Description, fieldsOf, type Schema, schemasIn, typeInWords } from './description.ts'

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const common: Schema['properties'] = { trace_id: { type: 'string' } }
const variant = (type: string): Schema => ({
  'x-extends': 'ActionBase',
  properties: { ...common, type: { enum: [type] }, details: ref(`${type}Details`) },
})
/** As of `Action` in the description of API v3. */
const components: Description['components'] = {
  schemas: {
    Action: { oneOf: [ref('Swap'), ref('Burn')] },
    Swap: variant('Swap'),
    Burn: variant('Burn'),
    ActionBase: { properties: { ...common, type: { type: 'string' } } },
    SwapDetails: { properties: { pool: { type: 'string' } } },
    BurnDetails: { properties: { amount: { type: 'string' } } },
  },
}

test('the schemas of a union, of what they extend and of their members are shown', () => {
  expect(schemasIn(components, { items: ref('Action') }).sort()).toEqual(
    Object.keys(components.schemas).sort(),
  )
  expect(typeInWords(components.schemas['Action']!)).toBe('one of 2 schemas, by its type')
  const fieldsOfSchema = (name: string) =>
    fieldsOf(components.schemas[name]!, components).map(([field]) => field)
  expect(fieldsOfSchema('Swap')).toEqual(['type', 'details'])
  expect(fieldsOfSchema('ActionBase')).toEqual(['trace_id', 'type'])
})
