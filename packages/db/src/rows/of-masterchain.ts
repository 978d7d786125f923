import { FULL_SHARD, MASTERCHAIN, shardToSigned } from '@shardwalk/model'

/**
 * SQL: a row of `blocks` is of the masterchain. With the shard, which comes before the seqno in the key:
 * without it PostgreSQL before 18 looks for a seqno among all masterchain blocks, and no version reads them
 * in their order. `alias`: of the table.
 */
export const ofMasterchain = (alias?: string): string => {
  const of = alias === undefined ? '' : `${alias}.`
  return `${of}workchain = ${MASTERCHAIN} and ${of}shard = ${shardToSigned(FULL_SHARD)}`
}
