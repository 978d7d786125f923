import { toV2Transaction, type V2Address } from '@shardwalk/api-schema'
import { type ChainTransaction, locateResult, locateSource } from '@shardwalk/node-access'
import type { InternalMessage } from '@shardwalk/queries'
import type { V2Handlers } from './handler.ts'

interface LocateQuery {
  readonly source: V2Address
  readonly destination: V2Address
  readonly created_lt: bigint
}

const messageOf = ({ source, destination, created_lt: createdLt }: LocateQuery): InternalMessage => ({
  source,
  destination,
  createdLt,
})

const shown = async (found: Promise<ChainTransaction>) => toV2Transaction(await found, 'ext.transaction')

export const LOCATE_HANDLERS: V2Handlers<'tryLocateTx' | 'tryLocateResultTx' | 'tryLocateSourceTx'> = {
  tryLocateTx: (node, query) => shown(locateResult(node, messageOf(query))),
  tryLocateResultTx: (node, query) => shown(locateResult(node, messageOf(query))),
  tryLocateSourceTx: (node, query) => shown(locateSource(node, messageOf(query))),
}
