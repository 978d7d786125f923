import { Builder, type Cell } from '@shardwalk/cells'
import {
  loadDnsEntries,
  readTokenContent,
  type StackValue,
  type TokenContentView,
} from '@shardwalk/contracts'
import { DecodeError, type RawAddress, sameAddress } from '@shardwalk/model'
import {
  addressOf,
  call,
  cellOf,
  flagOf,
  intOf,
  knownAddress,
  openParent,
  refuse,
  type TokenContract,
  tryCall,
} from './token-contract.ts'
import type { DomainContent, NftCollectionData, NftItemData } from './token-data.ts'

/** Source: TEP-62 `get_collection_data`. */
export async function readNftCollection(contract: TokenContract): Promise<NftCollectionData> {
  const [next, content, owner] = await call(contract, { method: 'get_collection_data', least: 3 })
  return {
    kind: 'nft_collection',
    nextItemIndex: intOf(next),
    owner: addressOf(owner),
    content: readTokenContent(cellOf(content)),
  }
}

/** Source: TEP-62 `get_nft_data`. If the item refers to a collection, the collection must confirm it. */
export async function readNftItem(contract: TokenContract): Promise<NftItemData> {
  const [init, indexValue, collectionValue, owner, content] = await call(contract, {
    method: 'get_nft_data',
    least: 5,
  })
  const index = intOf(indexValue)
  const collection = addressOf(collectionValue)
  return {
    kind: 'nft_item',
    isInitialised: flagOf(init),
    index,
    collection,
    owner: addressOf(owner),
    content: collection
      ? await readItemContent(contract, { collection, index, individual: cellOf(content) })
      : readTokenContent(cellOf(content)),
  }
}

interface ItemOfCollection {
  readonly collection: RawAddress
  readonly index: bigint
  /** The item's own content, which the collection completes. */
  readonly individual: Cell
}

async function readItemContent(
  contract: TokenContract,
  { collection, index, individual }: ItemOfCollection,
): Promise<TokenContentView | DomainContent> {
  const parent = await openParent(contract, collection)
  const number: StackValue = { type: 'int', value: index }
  const [address] = await call(parent, { method: 'get_nft_address_by_index', least: 1, args: [number] })
  if (!sameAddress(knownAddress(address), contract.account.address)) return refuse()
  const domain = await readDomain(contract)
  if (domain) return domain
  const args: StackValue[] = [number, { type: 'cell', cell: individual }]
  const [content] = await call(parent, { method: 'get_nft_content', least: 1, args })
  return readTokenContent(cellOf(content))
}

/** An item that is also a resolver is a domain. Source: TEP-81 `dnsresolve`. */
async function readDomain(contract: TokenContract): Promise<DomainContent | undefined> {
  const { exitCode, stack } = await tryCall(contract, {
    method: 'dnsresolve',
    args: [
      { type: 'slice', cell: new Builder().storeUint(0, 8).endCell() },
      { type: 'int', value: 0n },
    ],
  })
  const [, records] = stack
  if (exitCode !== 0 || stack.length !== 2 || records?.type !== 'cell') return undefined
  try {
    const domain = await readDomainName(contract)
    return { type: 'domain', domain, entries: loadDnsEntries(records.cell) }
  } catch (error) {
    if (error instanceof DecodeError) return undefined
    throw error
  }
}

async function readDomainName(contract: TokenContract): Promise<string> {
  const { exitCode, stack } = await tryCall(contract, { method: 'get_domain' })
  const [name] = stack
  if (exitCode !== 0 || (name?.type !== 'cell' && name?.type !== 'slice')) return ''
  const slice = name.cell.slice()
  return `${slice.loadBytes(Math.floor(slice.remainingBits / 8)).toString('utf8')}.ton`
}
