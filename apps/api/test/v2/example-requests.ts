import { toJsonText, type V2MethodName } from '@shardwalk/api-schema'
import type { Query } from '../client.ts'
import { MESSAGE } from '../example-queries.ts'
import { readGoldenEntries } from './golden-files.ts'

export interface ExampleRequest {
  readonly query?: Query
  /** JSON text, or what becomes it. */
  readonly body?: unknown
}

/** Requests of a method that may serve as an example: typical ones, then recorded ones, short ones first. */
export function exampleRequests(name: V2MethodName): readonly ExampleRequest[] {
  // The same under its older name.
  const recordedAs = name === 'tryLocateTx' ? 'tryLocateResultTx' : name
  const chosen = readGoldenEntries().filter(
    ({ method, http, status }) =>
      method === recordedAs &&
      status === 200 &&
      http.path === `/${recordedAs}` &&
      !http.raw_query &&
      !http.raw,
  )
  const recorded = chosen
    .sort((a, b) => toJsonText(a.body).length - toJsonText(b.body).length)
    .map(({ http }) => ({
      query: Object.fromEntries(http.query ?? []),
      ...(http.body !== undefined && { body: toJsonText(http.body) }),
    }))
  return [...(OWN[name] ? [OWN[name]] : []), ...recorded]
}

const WALLET = '0:8d45b59c3c3aa082746777093179b3194c73f5be118bb99761e4ba189a79c53e'
/** Methods of which no recorded reply is typical. */
const OWN: Partial<Record<V2MethodName, ExampleRequest>> = {
  getAddressInformation: { query: { address: WALLET, seqno: 529 } },
  getShardAccountCell: { query: { address: WALLET, seqno: 529 } },
  getExtendedAddressInformation: { query: { address: WALLET, seqno: 529 } },
  getWalletInformation: { query: { address: WALLET, seqno: 529 } },
  getTransactions: { query: { address: WALLET, limit: 1 } },
  getTransactionsStd: { query: { address: WALLET, limit: 1 } },
  runGetMethod: { body: { address: WALLET, method: 'seqno', stack: [] } },
  runGetMethodStd: { body: { address: WALLET, method: 'seqno', stack: [] } },
  getShards: { query: { seqno: 529 } },
  // One without transactions, because it is shorter.
  getBlock: { query: { workchain: 0, shard: '-9223372036854775808', seqno: 1 } },
  getMasterchainInfo: {},
  getAddressBalance: { query: { address: WALLET, seqno: 529 } },
  getAddressState: { query: { address: WALLET, seqno: 529 } },
  detectHash: { query: { hash: '00'.repeat(32) } },
  packAddress: { query: { address: WALLET } },
  sendBocReturnHashNoError: { body: { boc: MESSAGE } },
}
