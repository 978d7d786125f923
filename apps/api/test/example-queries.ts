import { Address, beginCell, external, storeMessage } from '@ton/core'
import type { Json, Query } from './client.ts'
import { facts, raw } from './contracts/chain-under-api.ts'

interface Asked {
  readonly query?: Query
  readonly body?: unknown
}

/** A wallet v4 of the sample. */
const WALLET = '0:8D45B59C3C3AA082746777093179B3194C73F5BE118BB99761E4BA189A79C53E'

/** An external message to the wallet; the replay server does not run it. */
export const MESSAGE = beginCell()
  .store(storeMessage(external({ to: Address.parse(WALLET), body: beginCell().storeUint(5, 64).endCell() })))
  .endCell()
  .toBoc()
  .toString('base64')

const first = (facts_: readonly Json[]): string => raw(String(facts_[0]!['address']))

/** What each operation is asked in examples and by generated clients: by verb and path. */
export async function exampleQueries(
  read: (path: string, query: Query) => Promise<Json>,
): Promise<Readonly<Record<string, Asked>>> {
  const rowsOf = async (path: string, key: string, query: Query) => (await read(path, query))[key] as Json[]
  const [transfer] = await rowsOf('actions', 'actions', { action_type: 'jetton_transfer', limit: 1 })
  const { trace_id: trace, action_id: action } = transfer as { trace_id: string; action_id: string }
  const [{ trace: tree }] = (await rowsOf('traces', 'traces', { trace_id: trace })) as never as [
    { trace: { children: { in_msg_hash: string }[] } },
  ]
  const jetton = first(facts.jettons)
  const auctioned = facts.dns.items.find((one: Json) => one['domain'] === 'release-scenario')
  const leader = auctioned.auction.max_bid_address
  const body = beginCell().storeUint(0, 32).storeStringTail('hello').endCell().toBoc().toString('base64')
  return {
    'get blocks': { query: { workchain: -1, limit: 1 } },
    'get masterchainBlockShardState': { query: { seqno: 100, limit: 1 } },
    'get masterchainBlockShards': { query: { seqno: 100, limit: 1 } },
    'get transactionsByMasterchainBlock': { query: { seqno: 100 } },
    'get transactionsByMessage': { query: { msg_hash: tree.children[0]!.in_msg_hash } },
    'get adjacentTransactions': { query: { hash: trace, direction: 'out' } },
    'get traces': { query: {} },
    'get events': { query: {} },
    'get actions': { query: { action_type: 'jetton_transfer' } },
    'get pendingTransactions': { query: { account: WALLET } },
    'get pendingTraces': { query: { account: WALLET } },
    'get pendingActions': { query: { account: WALLET } },
    'get balanceChanges': { query: { action_id: action } },
    'get balances': { query: { address: WALLET, mc_seqno: 400 } },
    'get balanceHistory': { query: { address: WALLET } },
    'get jettonHolders': { query: { jetton, mc_seqno: 400 } },
    'get accountStates': { query: { address: WALLET } },
    'get walletStates': { query: { address: WALLET } },
    'get addressBook': { query: { address: WALLET } },
    'get metadata': { query: { address: jetton } },
    'get decode': { query: { opcodes: '0x0f8a7ea5', bodies: body } },
    'post decode': { body: { opcodes: ['0x0f8a7ea5'], bodies: [body] } },
    'get nft/sales': { query: { address: first(facts.nft_sales) } },
    'get dns/records': {
      query: { wallet: facts.dns.items.find((one: Json) => one['domain'] === 'test').owner },
    },
    'get dns/activeAuctions': { query: { bidder: leader, include_nft_items: true } },
    'get vesting': { query: { contract_address: first(facts.vesting) } },
    'get multisig/wallets': { query: { address: first(facts.multisigs), include_orders: false } },
    'get multisig/orders': { query: { multisig_address: first(facts.multisigs), parse_actions: true } },
    'get addressInformation': { query: { address: WALLET } },
    'get account': { query: { address: WALLET } },
    'get walletInformation': { query: { address: WALLET } },
    'get wallet': { query: { address: WALLET } },
    'post message': { body: { boc: MESSAGE } },
    'post estimateFee': { body: { address: WALLET, body, ignore_chksig: true } },
    'post runGetMethod': { body: { address: WALLET, method: 'seqno', stack: [] } },
  }
}
