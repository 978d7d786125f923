// Validators and the elector.
import type { Matcher } from '../core/matcher.ts'
import { call, maybe, over, type Pattern } from '../core/pattern.ts'
import { ELECTOR } from '../facts.ts'

const NEW_STAKE = 0x4e73744b
const STAKE_ACCEPTED = 0xf374484c
const RECOVER_STAKE = 0x47657424
const STAKE_RETURNED = 0xf96f7324

const toElector = (opcode: number): Pattern => ({
  test: (block) => block.opcode === opcode && block.destination === ELECTOR,
})

const deposit: Matcher = {
  name: 'election_deposit',
  anchors: [NEW_STAKE],
  pattern: over(toElector(NEW_STAKE), maybe(call(STAKE_ACCEPTED))),
  build: ({ anchor, captures }) => ({
    type: 'election_deposit',
    failed: captures.call(STAKE_ACCEPTED) === undefined,
    columns: () => ({ source: anchor.source, amount: anchor.value }),
  }),
}

const recover: Matcher = {
  name: 'election_recover',
  anchors: [RECOVER_STAKE],
  pattern: over(toElector(RECOVER_STAKE), maybe(call(STAKE_RETURNED))),
  build({ anchor, captures }) {
    const returned = captures.call(STAKE_RETURNED)
    const columns = () => ({ source: anchor.source, amount: returned?.value ?? null })
    return { type: 'election_recover', failed: returned === undefined, columns }
  },
}

export const elections: readonly Matcher[] = [deposit, recover]
