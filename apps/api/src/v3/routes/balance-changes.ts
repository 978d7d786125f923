import { BalanceChangesQuery, BalanceChangesReply, toBalanceChangesReply } from '@shardwalk/api-schema'
import { parseRoot } from '@shardwalk/cells'
import { Pace } from '@shardwalk/concurrency'
import { JETTON_MOVES, jettonBalanceChange } from '@shardwalk/contracts'
import { findChangeScope, type JettonMoveRow, jettonMoves, tonChanges } from '@shardwalk/queries'
import { HttpError, notFound } from '../../http/errors.ts'
import { objectRoute, type Route } from '../../http/route.ts'
import { FAILS } from './fails.ts'

/** Bounds the work of a request, as for the transactions in a trace of `/traces`. */
const MAX_TRANSACTIONS = 4000

const getBalanceChanges = objectRoute({
  path: '/api/v3/balanceChanges',
  tag: 'Actions and traces',
  summary: 'Changes of balances',
  description:
    'What a trace, or one action of it, changed: `changes` less `fees` is the change of an account. An ' +
    'action does not include what its first sender received. A map without entries is null.',
  query: BalanceChangesQuery,
  reply: () => BalanceChangesReply,
  fails: { ...FAILS, 404: 'The trace or action is not known.' },
  async handle({ db, accounts }, { trace_id: traceId, action_id: actionId }) {
    const scope = await findChangeScope(db, { traceId, actionId })
    if (!scope) throw notFound(actionId ? 'action_id not found' : 'trace_id not found')
    const count = scope.tx_hashes?.length ?? scope.nodes
    if (count > MAX_TRANSACTIONS)
      throw new HttpError(
        422,
        `${count} transactions; balance changes of up to ${MAX_TRANSACTIONS} are known`,
      )
    const ton = await tonChanges(db, scope)
    const jettons = await jettonChanges(await jettonMoves(db, scope, JETTON_MOVES.map(signed)))
    const ids = ton.map((row) => row.account_id)
    for (const { owner, jetton } of jettons) ids.push(owner, jetton)
    const directory = await accounts.load(db, ids, { states: false })
    const raw = (id: bigint) => directory.get(id).raw
    return toBalanceChangesReply({
      ton: ton.map(({ account_id, ...amounts }) => ({ account: raw(account_id), ...amounts })),
      jettons: byOwner(jettons.map(({ owner, jetton, amount }) => [raw(owner), raw(jetton), amount])),
    })
  },
})

export const BALANCE_ROUTES: readonly Route[] = [getBalanceChanges]

const signed = (opcode: number): number => opcode | 0

interface JettonChange {
  readonly owner: bigint
  readonly jetton: bigint
  readonly amount: bigint
}

async function jettonChanges(moves: readonly JettonMoveRow[]): Promise<readonly JettonChange[]> {
  const changes: JettonChange[] = []
  const pace = new Pace()
  for (const { owner_id: owner, jetton_id: jetton, body } of moves) {
    const amount = jettonBalanceChange(parseRoot(body, { allowLevel: true }).slice())
    if (amount !== undefined) changes.push({ owner, jetton, amount })
    await pace.rest()
  }
  return changes
}

/** Sums by owner and jetton; what cancels out remains as zero, because it moved. */
function byOwner(changes: readonly (readonly [owner: string, jetton: string, amount: bigint])[]) {
  const owners = new Map<string, Map<string, bigint>>()
  for (const [owner, jetton, amount] of changes) {
    const jettons = owners.get(owner) ?? new Map<string, bigint>()
    owners.set(owner, jettons.set(jetton, (jettons.get(jetton) ?? 0n) + amount))
  }
  return owners
}
