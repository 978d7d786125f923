import { type AccountFacts, NOMINATOR_POOL_CODE_HASH } from '@shardwalk/actions'
import { contentAttributes, type Detected } from '@shardwalk/contracts'
import { formatRawAddress, type RawAddress } from '@shardwalk/model'

/** Converts the detected roles of a contract to the facts that the classifier uses. */
export function detectedFacts(found: readonly Detected[], code: Buffer): AccountFacts {
  const codeHash = code.toString('base64')
  const isDomain = found.some(({ kind }) => kind === 'dns_item')
  const facts: AccountFacts[] = found.map((one) => factOf(one, { codeHash, isDomain }))
  const nominatorPool = codeHash === NOMINATOR_POOL_CODE_HASH
  return Object.assign({}, ...facts, nominatorPool ? { nominatorPool } : {}) as AccountFacts
}

interface Beside {
  /** Standard base64. */
  readonly codeHash: string
  readonly isDomain: boolean
}

function factOf(found: Detected, { codeHash, isDomain }: Beside): AccountFacts {
  switch (found.kind) {
    case 'jetton_wallet':
      return {
        jettonWallet: { owner: formatRawAddress(found.owner), jetton: formatRawAddress(found.jetton) },
      }
    case 'nft_item':
      return {
        nftItem: {
          index: found.index,
          collection: addressOrNull(found.collection),
          uri: contentAttributes(found.content)?.['uri'] ?? null,
          codeHash,
          isDomain,
        },
      }
    case 'nft_sale':
      return { nftSale: { ...offerOf(found, codeHash), fullPrice: found.fullPrice } }
    case 'nft_auction':
      return { nftAuction: { ...offerOf(found, codeHash), lastBid: found.lastBid } }
    case 'multisig_order':
      return {
        multisigOrder: {
          multisig: formatRawAddress(found.multisig),
          signers: found.signers.map(formatRawAddress),
        },
      }
    case 'dedust_pool':
      return { dedustPool: { assets: [addressOrNull(found.assets[0]), addressOrNull(found.assets[1])] } }
    default:
      return {}
  }
}

const offerOf = (
  offer: {
    readonly marketplace: RawAddress
    readonly nft: RawAddress
    readonly nftOwner: RawAddress | undefined
  },
  codeHash: string,
) => ({
  marketplace: formatRawAddress(offer.marketplace),
  nft: formatRawAddress(offer.nft),
  owner: addressOrNull(offer.nftOwner),
  codeHash,
})

const addressOrNull = (address: RawAddress | undefined): string | null =>
  address ? formatRawAddress(address) : null
