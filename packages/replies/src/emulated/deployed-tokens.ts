import { type Json, type TokenInfo, toMetadata } from '@shardwalk/api-schema'
import { contentAttributes, type Detected } from '@shardwalk/contracts'
import type { DeployedContract } from '@shardwalk/emulation'
import { type ImageProxy, type StoredToken, tokenInfo } from '@shardwalk/metadata'
import { formatRawAddress } from '@shardwalk/model'
import { AccountNumbers } from '../accounts/account-numbers.ts'

/** `metadata` of tokens that a trace deploys: what their contracts say, none of which is indexed. */
export function deployedMetadata(
  contracts: readonly DeployedContract[],
  proxy: ImageProxy | undefined,
): Json {
  const accounts = new AccountNumbers()
  const tokens = contracts.flatMap(({ address, found }) =>
    found.flatMap((one): TokenInfo[] => {
      const info = infoOf(one, found, proxy)
      return info ? [{ id: accounts.idOf(address), isIndexed: false, info }] : []
    }),
  )
  return toMetadata({ wallets: [], tokens }, (id) => accounts.get(id).raw)
}

function infoOf(
  found: Detected,
  all: readonly Detected[],
  proxy: ImageProxy | undefined,
): object | undefined {
  switch (found.kind) {
    case 'jetton_wallet': {
      const [owner, jetton] = [found.owner, found.jetton].map(formatRawAddress)
      return { valid: true, type: 'jetton_wallets', extra: { owner, jetton, balance: String(found.balance) } }
    }
    case 'jetton_master':
      return infoOfToken({ type: 'jetton_masters', content: contentAttributes(found.content) }, proxy)
    case 'nft_collection':
      return infoOfToken({ type: 'nft_collections', content: contentAttributes(found.content) }, proxy)
    case 'nft_item': {
      const domain = all.find((one) => one.kind === 'dns_item')?.domain ?? null
      const content = contentAttributes(found.content)
      return infoOfToken({ type: 'nft_items', nft_index: String(found.index), content, domain }, proxy)
    }
    default:
      return undefined
  }
}

const UNKNOWN = {
  nft_index: null,
  domain: null,
  valid: null,
  is_nsfw: false,
  is_scam: false,
  name: null,
  symbol: null,
  description: null,
  image: null,
  extra: null,
} as const

const infoOfToken = (
  token: Pick<StoredToken, 'type' | 'content'> & Partial<StoredToken>,
  proxy: ImageProxy | undefined,
): object => tokenInfo({ ...UNKNOWN, ...token }, proxy).info
