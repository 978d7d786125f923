import { describe, expect, test } from 'vitest'
import { classifyTrace, readTraceFile } from '../src/index.ts'
import type { TraceFile } from '../src/trace-file.ts'
import { check } from './expectations.ts'
import { type Case, expectationFiles, readTrace, type SetupStep } from './fixture-files.ts'

/** Applies the changes of a case to the file, so that the classifier gets them as data. */
function withSetup(file: TraceFile, steps: readonly SetupStep[]): TraceFile {
  const copy = structuredClone(file)
  for (const { op, transaction = 0, message = 0, value } of steps) {
    if (op !== 'set_message_body') continue
    const messages = copy.transactions[transaction]?.['messages'] as Record<string, unknown>[]
    messages[message]!['body'] = value
  }
  return copy
}

function classify({ trace_id, setup = [] }: Case) {
  const { trace, facts } = readTraceFile(withSetup(readTrace(trace_id), setup))
  const throwing = setup.find(({ op }) => op === 'throw_once')?.stage
  return classifyTrace(trace, facts, {
    onStage: (stage) => {
      if (stage === throwing) throw new Error('injected')
    },
  })
}

for (const { protocol, cases } of expectationFiles()) {
  describe(protocol, () => {
    for (const [i, one] of cases.entries()) {
      test(`${i + 1}. ${one.case}`, () => {
        const { state, actions } = classify(one)
        expect(one.expected_actions.flatMap((expectation) => check(actions, expectation))).toEqual([])
        if (one.expected_state) expect(state).toBe(one.expected_state)
        const count = one.expected_action_count
        if (typeof count === 'number') expect(actions).toHaveLength(count)
        else if (count) expect(actions.length).toBeGreaterThan(count.value)
        const types = one.every_action_type_in
        if (types) expect(actions.filter(({ type }) => !types.includes(type))).toEqual([])
      })
    }
  })
}

test('all 80 cases are present', () => {
  expect(expectationFiles().reduce((sum, { cases }) => sum + cases.length, 0)).toBe(80)
})
