import type { TransactionPlace } from '@shardwalk/blocks'
import type { RawAddress } from '@shardwalk/model'

/** A part of a block that is left out of its rows. */
export interface LeftOut {
  readonly kind: 'transaction' | 'state'
  readonly account: RawAddress
  readonly lt: bigint
  readonly reason: string
}

/** Maximum number of parts left out of a batch. If more fail, the cause is something else. */
const MAX_PARTS = 32

const leaveOut = (place: TransactionPlace, kind: LeftOut['kind'], reason: string): LeftOut => ({
  kind,
  account: place.account,
  lt: place.lt,
  reason,
})

/**
 * Finds the transactions and states that make a batch fail, by halving. `failure`: why the batch fails
 * without the given parts, or undefined if it does not. Returns undefined if no transaction is the cause.
 */
export async function isolateFailures(
  places: readonly TransactionPlace[],
  failure: (without: readonly LeftOut[]) => Promise<string | undefined>,
): Promise<readonly LeftOut[] | undefined> {
  const found: LeftOut[] = []
  let suspects = places
  while (found.length < MAX_PARTS) {
    const reason = await failure(found)
    if (reason === undefined) return found
    const only = (kept: readonly TransactionPlace[]) =>
      failure(
        places
          .filter((place) => !kept.includes(place))
          .map((place) => leaveOut(place, 'transaction', reason)),
      )
    if ((await only([])) !== undefined) return undefined
    const culprit = await halve(suspects, only)
    suspects = suspects.filter((place) => place !== culprit)
    const itsReason = (await only([culprit])) ?? reason
    const others = places.filter((place) => place !== culprit)
    const isState =
      (await failure([
        ...others.map((place) => leaveOut(place, 'transaction', reason)),
        leaveOut(culprit, 'state', itsReason),
      ])) === undefined
    found.push(leaveOut(culprit, isState ? 'state' : 'transaction', itsReason))
  }
  return undefined
}

/** Finds one transaction that makes the batch fail if it is kept. */
async function halve(
  suspects: readonly TransactionPlace[],
  only: (kept: readonly TransactionPlace[]) => Promise<string | undefined>,
): Promise<TransactionPlace> {
  let rest = suspects
  while (rest.length > 1) {
    const half = rest.slice(0, rest.length >> 1)
    rest = (await only(half)) === undefined ? rest.slice(rest.length >> 1) : half
  }
  return rest[0]!
}
