import { feesObject, readFeeRequest } from '@shardwalk/api-schema'
import { estimateFee } from '@shardwalk/node-access'
import type { V2Handlers } from './handler.ts'

export const FEE_HANDLERS: V2Handlers<'estimateFee'> = {
  estimateFee: async (node, query) => ({
    '@type': 'query.fees',
    source_fees: { '@type': 'fees', ...feesObject(await estimateFee(node, readFeeRequest(query))) },
    destination_fees: [],
  }),
}
