import { ACCOUNT_STATUS } from '@shardwalk/model'

const [UNINIT, FROZEN] = [ACCOUNT_STATUS.indexOf('uninit'), ACCOUNT_STATUS.indexOf('frozen')]

/** SQL: `statusOfState` of a transaction whose state is known. `t`: alias of `transactions`. */
export const statusOfState = (t: string): string =>
  `case when ${t}.end_status = ${FROZEN} and ${t}.frozen_hash_after is null then ${UNINIT}
    else ${t}.end_status end`
