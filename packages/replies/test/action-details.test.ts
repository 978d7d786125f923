import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import {
  type ActionRow,
  classifyTrace,
  readTraceFile,
  renderAction,
  STORED_ACTION_TYPES,
} from '@shardwalk/actions'
import { ACTION_DETAILS, toJsonText } from '@shardwalk/api-schema'
import { expect, test } from 'vitest'

const TRACES = new URL('../../../fixtures/traces/', import.meta.url)
const rows = readdirSync(TRACES)
  .filter((name) => name.endsWith('.json.gz'))
  .flatMap((name) => {
    const file = JSON.parse(gunzipSync(readFileSync(new URL(name, TRACES))).toString('utf8'))
    const { trace, facts } = readTraceFile(file)
    return classifyTrace(trace, facts).actions
  })

/** Problems of the details of a row as they are printed. */
function problemsOf(row: ActionRow): unknown[] {
  const { type, details } = renderAction(row)
  const schema = ACTION_DETAILS[type as keyof typeof ACTION_DETAILS]
  if (!schema) return [[type, 'no schema']]
  const checked = schema.safeParse(JSON.parse(toJsonText(details)))
  return checked.error ? [[type, ...checked.error.issues.slice(0, 2)]] : []
}

test('every type of action has details of its own', () => {
  expect(Object.keys(ACTION_DETAILS).sort()).toEqual(
    [...STORED_ACTION_TYPES, 'extra_currency_transfer'].sort(),
  )
})

test('details of an action of which nothing is known are as described', () => {
  expect(STORED_ACTION_TYPES.flatMap((type) => problemsOf({ type } as ActionRow))).toEqual([])
})

test('details of actions of real traces are as described, also of extra currencies', () => {
  expect(rows.flatMap(problemsOf)).toEqual([])
  const carriers = rows.filter(({ type }) => type === 'ton_transfer' || type === 'call_contract')
  const extra = carriers.map((row) => ({ ...row, value_extra_currencies: { '100': '5' } }))
  expect(extra.flatMap(problemsOf)).toEqual([])
  expect(new Set(rows.map(({ type }) => type)).size).toBeGreaterThan(40)
})
