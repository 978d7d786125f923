import { expect, test } from 'vitest'
import type { Transaction } from './replies.ts'
import { outcomeOf } from './transactions.tsx'

const skipped = { skipped: true, reason: 'no_state' }
const of = (description: object) => outcomeOf({ description } as Pick<Transaction, 'description'>)

test.each([
  ['a deposit to an account without code', { aborted: true, compute_ph: skipped }, 'skipped: no state', true],
  [
    'one that bounced',
    { aborted: true, compute_ph: skipped, bounce: { type: 'ok' } },
    'skipped: no state',
    false,
  ],
  [
    'too little for gas',
    { aborted: true, compute_ph: { skipped: true, reason: 'no_gas' } },
    'skipped: no gas',
    false,
  ],
  ['success', { aborted: false, compute_ph: { skipped: false, success: true } }, 'success', true],
  [
    'a failure',
    { aborted: true, compute_ph: { skipped: false, success: false, exit_code: 9 } },
    'exit code 9',
    false,
  ],
])('%s: the outcome has a word and a colour', (_, description, word, isGood) => {
  expect(of(description)).toEqual({ word, isGood })
})
