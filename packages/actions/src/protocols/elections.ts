// Validators and the elector.
import { ELECTIONS } from '@shardwalk/contracts'
import type { Matcher } from '../core/matcher.ts'
import { call, maybe, over, type Pattern } from '../core/pattern.ts'
import { ELECTOR } from '../facts.ts'

const toElector = (opcode: number): Pattern => ({
  test: (block) => block.opcode === opcode && block.destination === ELECTOR,
})

const deposit: Matcher = {
  name: 'election_deposit',
  anchors: [ELECTIONS.newStake],
  pattern: over(toElector(ELECTIONS.newStake), maybe(call(ELECTIONS.stakeAccepted))),
  build: ({ anchor, captures }) => ({
    type: 'election_deposit',
    failed: captures.call(ELECTIONS.stakeAccepted) === undefined,
    columns: () => ({ source: anchor.source, amount: anchor.value }),
  }),
}

const recover: Matcher = {
  name: 'election_recover',
  anchors: [ELECTIONS.recoverStake],
  pattern: over(toElector(ELECTIONS.recoverStake), maybe(call(ELECTIONS.stakeReturned))),
  build({ anchor, captures }) {
    const returned = captures.call(ELECTIONS.stakeReturned)
    const columns = () => ({ source: anchor.source, amount: returned?.value ?? null })
    return { type: 'election_recover', failed: returned === undefined, columns }
  },
}

/** Stakes sent to the elector, and asked back; failed without its answer. */
export const elections: readonly Matcher[] = [deposit, recover]
