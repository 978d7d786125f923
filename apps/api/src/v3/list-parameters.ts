import type { AccountId, RawAddress } from '@shardwalk/model'
import type { RequestContext } from '../http/route.ts'

/**
 * Ids of a list parameter. Undefined when it was not given; empty when none of its accounts was ever seen.
 */
export const idsOf = async (
  { db, accounts }: RequestContext,
  addresses: readonly RawAddress[] | undefined,
): Promise<AccountId[] | undefined> => addresses && accounts.idsOf(db, addresses)

/** The page, with the order that the profile gives rows without one of their own. */
export const inRowOrder = <P>({ rules }: Pick<RequestContext, 'rules'>, page: P) => ({
  ...page,
  rowOrder: rules.rowOrder,
})
