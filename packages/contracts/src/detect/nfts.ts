import { type RawAddress, sameAddress } from '@shardwalk/model'
import { parseTokenContent, type TokenContent } from '../content/token-content.ts'
import { readStack } from '../get-methods/stack-reader.ts'
import { type ContractReader, type ContractState, callMethod } from './ports.ts'
import { intValue } from './stack-values.ts'

/** Source: TEP-62 `get_collection_data`. `nextItemIndex` is -1 when indices are not sequential. */
export interface NftCollection {
  readonly kind: 'nft_collection'
  readonly nextItemIndex: bigint
  readonly content: TokenContent
  readonly owner: RawAddress | undefined
}

/**
 * Source: TEP-62 `get_nft_data`. `index` has up to 256 bits. `content`: combined with that of the collection
 * when the collection has a method for it.
 */
export interface NftItem {
  readonly kind: 'nft_item'
  readonly init: boolean
  readonly index: bigint
  readonly collection: RawAddress | undefined
  readonly owner: RawAddress | undefined
  readonly content: TokenContent
}

/** Undefined for another contract. Source: TEP-62, `get_collection_data`. */
export async function detectNftCollection(
  contract: ContractState,
  reader: ContractReader,
): Promise<NftCollection | undefined> {
  const data = readStack(await callMethod(reader, contract, 'get_collection_data'), {
    nextItemIndex: 'int',
    content: 'cell',
    owner: 'address?',
  })
  const content = data && parseTokenContent(data.content)
  return content && { kind: 'nft_collection', nextItemIndex: data.nextItemIndex, content, owner: data.owner }
}

/**
 * An item of a collection counts only when the collection derives the item's address from its index. An item
 * that is not initialised returns null and is not detected.
 */
export async function detectNftItem(
  contract: ContractState,
  reader: ContractReader,
): Promise<NftItem | undefined> {
  const data = readStack(await callMethod(reader, contract, 'get_nft_data'), {
    init: 'bool',
    index: 'int',
    collection: 'address?',
    owner: 'address?',
    individual: 'cell',
  })
  if (!data) return undefined
  const { init, index, collection, owner } = data
  const cell = collection
    ? await contentOf(contract.address, { ...data, collection }, reader)
    : data.individual
  const content = cell && parseTokenContent(cell)
  return content && { kind: 'nft_item', init, index, collection, owner, content }
}

type Claim = { readonly index: bigint; readonly collection: RawAddress; readonly individual: TokenCell }
type TokenCell = Parameters<typeof parseTokenContent>[0]

async function contentOf(
  item: RawAddress,
  claim: Claim,
  reader: ContractReader,
): Promise<TokenCell | undefined> {
  const collection = await reader.find(claim.collection)
  if (!collection) return undefined
  const index = intValue(claim.index)
  const named = readStack(await callMethod(reader, collection, 'get_nft_address_by_index', [index]), {
    item: 'address',
  })
  if (!named || !sameAddress(named.item, item)) return undefined
  const individual = { type: 'cell', cell: claim.individual } as const
  return readStack(await callMethod(reader, collection, 'get_nft_content', [index, individual]), {
    content: 'cell',
  })?.content
}
